import {
  type CheckedInput,
  type Endpoint,
  type MatchValues,
  matchValues,
  type QueryValues,
  reconciliationValues,
} from "@insurance-gateway/core/contract";
import type { Encryption } from "./encryption.ts";

/** What a later reconciliation query needs of a submission, and nothing else of it. */
export interface MatchFields {
  /** The values of the search's parameters, as `reconcile.parameters` names them. */
  readonly query: QueryValues;
  /** What a found item must have in common with the body, in normal form, by JSON Pointer. */
  readonly same: MatchValues;
}

/** Takes from a submission what the declared query needs; null when the endpoint declares none. */
export function matchFieldsOf(
  endpoint: Endpoint,
  input: Pick<CheckedInput, "body" | "params">,
): MatchFields | null {
  if (endpoint.reconcile === undefined) return null;
  return {
    query: reconciliationValues(endpoint, input),
    same: matchValues(endpoint, input.body),
  };
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
  // What can be decrypted was encrypted by this gateway, above.
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as MatchFields;
}
