import type { Endpoint } from "@insurance-gateway/core/contract";
import type { SearchedFields } from "@insurance-gateway/core/runtime";
import {
  type CheckedInput,
  isJson,
  matchValues,
  parameterOrigins,
  type QueryValues,
  reconciliationValues,
} from "@insurance-gateway/core/runtime";
import type { Encryption } from "../store/encryption.ts";

/** The fields of a submission that a later query, or an operator who asks the insurer, needs. */
export interface MatchFields extends SearchedFields {
  /** The sent fields of a submission whose endpoint has no query, for the operator. */
  readonly sent?: SentFields;
}

/** The sent fields by which an operator can find a submission at the insurer. */
export interface SentFields {
  /** The parameters in the path and in the query of the request. */
  readonly params: QueryValues;
  readonly query: QueryValues;
  /** The whole JSON body, if the endpoint declares no match fields and the body is small enough. */
  readonly body?: unknown;
}

/** Maximum length of a stored body, in characters. Larger bodies would make other claims wait for the store. */
const MAX_BODY_CHARACTERS = 16_384;

/** Returns a submission's match fields: the input of its query or, without a query, the fields for the operator. */
export function matchFieldsOf(
  endpoint: Endpoint,
  input: Pick<CheckedInput, "body" | "mediaType" | "params" | "query">,
): MatchFields {
  const same = matchValues(endpoint, input.body);
  return endpoint.reconcile === undefined
    ? { same, sent: sentFieldsOf(endpoint, input) }
    : { query: reconciliationValues(endpoint, input), same };
}

function sentFieldsOf(
  endpoint: Endpoint,
  { body, mediaType = "application/json", params, query }: Parameters<typeof matchFieldsOf>[1],
): SentFields {
  const isNamed = (endpoint.same ?? []).length > 0;
  const isStored =
    !isNamed && isJson(mediaType) && (JSON.stringify(body) ?? "").length <= MAX_BODY_CHARACTERS;
  return { params, query, ...(isStored ? { body } : {}) };
}

/**
 * Returns the searched values that are not match fields in normal form. These values and the match fields together tell
 * whether a query can distinguish two submissions. Undefined if the endpoint has no query.
 */
export function searchedValuesNotMatched(
  endpoint: Endpoint,
  { query, same }: MatchFields,
): QueryValues | undefined {
  if (query === undefined) return undefined;
  const normal = parameterOrigins(endpoint).filter(
    ({ from, pathParameter }) => pathParameter === null && from in same,
  );
  const names = normal.map(({ name }) => name);
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

/** Encrypts match fields for the store, so that they can be decrypted only for this submission. */
export function encryptMatchFields(
  encryption: Encryption,
  id: string,
  fields: MatchFields,
): Uint8Array {
  return encryption.encrypt(Buffer.from(JSON.stringify(fields)), `match fields ${id}`);
}

/** Decrypts the stored match fields of a submission. */
export function decryptMatchFields(
  encryption: Encryption,
  id: string,
  encrypted: Uint8Array,
  keyId: string,
): MatchFields {
  const bytes = encryption.decrypt(encrypted, keyId, `match fields ${id}`);
  // Only `encryptMatchFields` writes the decrypted content.
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as MatchFields;
}
