import {
  type Endpoint,
  type MatchValues,
  matchValues,
  type QueryValues,
  valueAt,
} from "@insurance-gateway/core/contract";
import type { Encryption } from "./encryption.ts";

/** What a later reconciliation query needs of a submission's body, and nothing else of it. */
export interface MatchFields {
  /** The parameters of the query. */
  readonly query: QueryValues;
  /** What a found item must have in common with the body, in normal form, by JSON Pointer. */
  readonly same: MatchValues;
}

/** Takes from a body what the declared query needs; null when the endpoint declares none. */
export function matchFieldsOf(endpoint: Endpoint, body: unknown): MatchFields | null {
  const { reconcile } = endpoint;
  if (reconcile === undefined) return null;
  const query = Object.entries(reconcile.parameters).map(([name, { from }]) => [
    name,
    valueAt(body, from),
  ]);
  return {
    // What is declared as a parameter of a search is a text or a number in the body.
    query: Object.fromEntries(query) as QueryValues,
    same: matchValues(endpoint, body),
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
