import type { EncryptionKey } from "../../src/configuration/submission-store.ts";

/** Returns an encryption key whose secret is derived from its id. */
export function keyNamed(id: string): EncryptionKey {
  return { id, secret: Buffer.alloc(32, id) };
}
