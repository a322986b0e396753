import type { StoredAnswer } from "@insurance-gateway/core/runtime";
import type { Encryption } from "../store/encryption.ts";

/**
 * Encrypts an answer for the store, so that it can be decrypted only for the same submission. The content follows the
 * JSON of the other fields, because the content would be escaped and longer within the JSON.
 */
export function encryptAnswer(
  encryption: Encryption,
  id: string,
  { content, ...head }: StoredAnswer,
): Uint8Array {
  return encryption.encrypt(Buffer.from(`${JSON.stringify(head)}\n${content}`), `answer ${id}`);
}

/** Decrypts the stored answer of a submission. */
export function decryptAnswer(
  encryption: Encryption,
  id: string,
  encrypted: Uint8Array,
  keyId: string,
): StoredAnswer {
  const text = Buffer.from(encryption.decrypt(encrypted, keyId, `answer ${id}`)).toString("utf8");
  const end = text.indexOf("\n");
  // Only `encryptAnswer` writes the decrypted text. Line breaks within the text's JSON are escaped.
  const head = JSON.parse(text.slice(0, end)) as Omit<StoredAnswer, "content">;
  return { ...head, content: text.slice(end + 1) };
}
