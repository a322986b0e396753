import type { UpstreamAnswer } from "../upstream/answer.ts";
import type { Encryption } from "./encryption.ts";

/** An answer as it is kept, to be replayed byte for byte. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
  /** The code and outcome of a problem, for the log. */
  readonly problem?: { readonly code: string; readonly outcome: string };
}

/** Encrypts an answer for its place in the store. */
export function encryptAnswer(
  encryption: Encryption,
  id: string,
  answer: StoredAnswer,
): Uint8Array {
  return encryption.encrypt(Buffer.from(JSON.stringify(answer)), `answer ${id}`);
}

/** Opens a kept answer. */
export function decryptAnswer(
  encryption: Encryption,
  id: string,
  encrypted: Uint8Array,
  keyId: string,
): StoredAnswer {
  const bytes = encryption.decrypt(encrypted, keyId, `answer ${id}`);
  // What opens was encrypted by this gateway, above.
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as StoredAnswer;
}

/** The same answer again, marked as what it is. */
export function replayed(answer: StoredAnswer): UpstreamAnswer {
  return { ...answer, headers: { ...answer.headers, "idempotency-replayed": "true" } };
}
