import type { EncryptionKey } from "../../src/configuration/submission-store.ts";

/** A key with a secret that follows from its id. */
export function keyNamed(id: string): EncryptionKey {
  return { id, secret: Buffer.alloc(32, id) };
}
