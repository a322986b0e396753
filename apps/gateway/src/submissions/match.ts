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

/** The fields of a submission that a later query, or an operator who asks the insurer, needs; no others. */
export interface MatchFields extends SearchedFields {
  /** The sent fields of a submission without a query, for the operator. */
  readonly sent?: SentFields;
}

/** The sent fields that name the subject of a submission without a query. */
export interface SentFields {
  /** The parameters of the path and of the query. */
  readonly params: QueryValues;
  readonly query: QueryValues;
  /** The whole JSON body, if no match fields are declared and it is small enough. */
  readonly body?: unknown;
}

/** Maximum of characters of a stored body. While a larger body is written, every other claim would wait. */
const MAX_BODY_CHARACTERS = 16_384;

/** Returns the fields with which the outcome can be found: the input of the query or, without a query, the subject. */
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
 * Returns the searched values that no match field has in normal form. Together with the match fields, they distinguish
 * two submissions for a query. Undefined if there is no query.
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

/** Encrypts match fields for the store, bound to their submission. */
export function encryptMatchFields(
  encryption: Encryption,
  id: string,
  fields: MatchFields,
): Uint8Array {
  return encryption.encrypt(Buffer.from(JSON.stringify(fields)), `match fields ${id}`);
}

/** Decrypts stored match fields. */
export function decryptMatchFields(
  encryption: Encryption,
  id: string,
  encrypted: Uint8Array,
  keyId: string,
): MatchFields {
  const bytes = encryption.decrypt(encrypted, keyId, `match fields ${id}`);
  // A gateway encrypted the content, above.
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as MatchFields;
}
