import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** A key that encrypts what is kept: AES-256-GCM. */
export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** Encrypts what is kept, and opens it again. */
export interface Encryption {
  /** The id of the key that encrypts now. */
  readonly keyId: string;
  /** Whether what a key encrypted can be opened. */
  knows(keyId: string): boolean;
  /** @param place - what it is and whose: the same must be said to open it, so that nothing can be put elsewhere */
  encrypt(content: Uint8Array, place: string): Uint8Array;
  /** @throws Error when it was not encrypted so, at this place, with this key */
  decrypt(encrypted: Uint8Array, keyId: string, place: string): Uint8Array;
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Makes the encryption of these keys: the first encrypts, all of them open. */
export function createEncryption(keys: readonly [EncryptionKey, ...EncryptionKey[]]): Encryption {
  const secrets = new Map(keys.map(({ id, secret }) => [id, secret]));
  const secretOf = (keyId: string): Uint8Array => {
    const secret = secrets.get(keyId);
    if (secret === undefined) throw new Error(`There is no key ${keyId} in submissions.keys`);
    return secret;
  };
  const [{ id: keyId, secret: current }] = keys;
  return {
    keyId,
    knows: (id) => secrets.has(id),
    encrypt(content, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, current, nonce).setAAD(Buffer.from(place));
      const text = Buffer.concat([cipher.update(content), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },
    decrypt(encrypted, id, place) {
      const bytes = Buffer.from(encrypted);
      const decipher = createDecipheriv(ALGORITHM, secretOf(id), bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(text), decipher.final()]);
    },
  };
}
