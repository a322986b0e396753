import { type Endpoint, type QueryValues, valueAt } from "@insurance-gateway/core/contract";
import type { Encryption } from "./encryption.ts";

/** What a later lookup of a submission's outcome needs of its body, and nothing else of it. */
export interface MatchFields {
  /** The parameters of the lookup. */
  readonly query: QueryValues;
  /** What a found item must have in common with the body, by place. */
  readonly same: Readonly<Record<string, unknown>>;
}

/** Takes from a body what the declared lookup needs; null when there is no lookup. */
export function matchFieldsOf(endpoint: Endpoint, body: unknown): MatchFields | null {
  const { reconcile } = endpoint;
  if (reconcile === undefined) return null;
  return {
    // What is declared as a parameter of a search stands as text or number in the body.
    query: Object.fromEntries(
      Object.entries(reconcile.parameters).map(([name, { from }]) => [name, valueAt(body, from)]),
    ) as QueryValues,
    same: Object.fromEntries(reconcile.same.map((place) => [place, valueAt(body, place)])),
  };
}

/** Encrypts matchFields for its place in the store. */
export function encryptMatchFields(
  encryption: Encryption,
  id: string,
  matchFields: MatchFields,
): Uint8Array {
  return encryption.encrypt(Buffer.from(JSON.stringify(matchFields)), `match fields ${id}`);
}

/** Opens kept matchFields. */
export function decryptMatchFields(
  encryption: Encryption,
  id: string,
  encrypted: Uint8Array,
  keyId: string,
): MatchFields {
  const bytes = encryption.decrypt(encrypted, keyId, `match fields ${id}`);
  // What opens was encrypted by this gateway, above.
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as MatchFields;
}
