import type { StoredAnswer } from "@insurance-gateway/core/runtime";
import type { Encryption } from "../store/encryption.ts";

/**
 * Encrypts an answer for the store, bound to its submission. The content follows the JSON of the other fields: as a
 * JSON value, it would be escaped, and longer.
 */
export function encryptAnswer(
  encryption: Encryption,
  id: string,
  { content, ...head }: StoredAnswer,
): Uint8Array {
  return encryption.encrypt(Buffer.from(`${JSON.stringify(head)}\n${content}`), `answer ${id}`);
}

/** Decrypts a stored answer. */
export function decryptAnswer(
  encryption: Encryption,
  id: string,
  encrypted: Uint8Array,
  keyId: string,
): StoredAnswer {
  const text = Buffer.from(encryption.decrypt(encrypted, keyId, `answer ${id}`)).toString("utf8");
  const end = text.indexOf("\n");
  // A gateway encrypted the text, above. A line break in the JSON would be escaped.
  const head = JSON.parse(text.slice(0, end)) as Omit<StoredAnswer, "content">;
  return { ...head, content: text.slice(end + 1) };
}
