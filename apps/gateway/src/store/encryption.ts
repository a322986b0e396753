import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { EncryptionKey } from "../configuration/submission-store.ts";
import type { StoredSecret } from "./record.ts";
import type { SubmissionStore } from "./store.ts";

/** Encrypts and decrypts stored data. */
export interface Encryption {
  /** Id of the key that encrypts new data. */
  readonly keyId: string;
  /** Reports whether the configuration has an encryption key with this id. */
  knows(keyId: string): boolean;
  /** @param place - kind and owner of the content. Decryption needs the same place, so nobody can swap rows */
  encrypt(content: Uint8Array, place: string): Uint8Array;
  /** @throws Error if the content was encrypted for another place or with another key, or was changed */
  decrypt(encrypted: Uint8Array, keyId: string, place: string): Uint8Array;
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates an encryption: the first of the keys encrypts, and all keys decrypt. */
export function createEncryption(keys: readonly [EncryptionKey, ...EncryptionKey[]]): Encryption {
  // A key object for each secret saves time: with bytes, Node creates an object for each text (23 µs instead of 7).
  const secrets = new Map(keys.map(({ id, secret }) => [id, createSecretKey(secret)]));
  const secretOf = (keyId: string): KeyObject => {
    const secret = secrets.get(keyId);
    if (secret === undefined) throw new Error(`There is no key ${keyId} in submissions.keys`);
    return secret;
  };
  const [{ id: keyId }] = keys;
  const current = secretOf(keyId);
  return {
    keyId,
    knows: (id) => secrets.has(id),
    encrypt(content, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, current, nonce).setAAD(Buffer.from(place));
      const parts = [cipher.update(content), cipher.final()];
      parts.unshift(nonce, cipher.getAuthTag());
      // The bytes need a separate buffer, because a message to the store's thread copies the whole memory block that
      // contains the bytes.
      const encrypted = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const part of parts) {
        encrypted.set(part, at);
        at += part.length;
      }
      return encrypted;
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

/** Name of the digests' secret in the store. */
const DIGEST_SECRET_NAME = "digests";
const SECRET_BYTES = 32;

/**
 * Returns the secret of the store's digests, and creates a missing secret. A new encryption key encrypts the same
 * secret again, so the digests do not change.
 * @throws ConfigurationError if the keys cannot decrypt some data of the store
 */
export async function openStoreSecret(
  store: SubmissionStore,
  encryption: Encryption,
  source: string,
): Promise<Uint8Array> {
  const stored =
    (await store.secret(DIGEST_SECRET_NAME)) ?? (await createDigestSecret(store, encryption));
  const used = new Set([stored.keyId, ...(await store.encryptedWith())]);
  refuseMissingKeys(used, encryption, source);
  const secret = decryptSecret(stored, DIGEST_SECRET_NAME, encryption, source);
  await refuseChangedKeys(store, used, encryption, source);
  if (stored.keyId !== encryption.keyId)
    await store.putSecret(
      DIGEST_SECRET_NAME,
      encryptSecret(secret, DIGEST_SECRET_NAME, encryption),
      stored.keyId,
    );
  return secret;
}

/**
 * Checks that the gateway can decrypt data that this process encrypts, for a command that runs while a gateway serves.
 * @throws ConfigurationError if the configured keys are not the keys that encrypted the store
 */
export async function checkStoreSecret(
  store: Pick<SubmissionStore, "secret">,
  encryption: Encryption,
  source: string,
): Promise<void> {
  readDigestSecret(await store.secret(DIGEST_SECRET_NAME), encryption, source);
}

/**
 * Decrypts the secret of the digests from a store or an export. Returns null if the store has no secret.
 * @throws ConfigurationError if the secret was encrypted with other keys
 */
export function readDigestSecret(
  stored: StoredSecret | null | undefined,
  encryption: Encryption,
  source: string,
): Uint8Array | null {
  if (stored === null || stored === undefined) return null;
  refuseMissingKeys([stored.keyId], encryption, source);
  return decryptSecret(stored, DIGEST_SECRET_NAME, encryption, source);
}

/** Creates the secret of the digests. If several processes create one at once, all use the first stored secret. */
async function createDigestSecret(
  store: SubmissionStore,
  encryption: Encryption,
): Promise<StoredSecret> {
  const own = encryptSecret(randomBytes(SECRET_BYTES), DIGEST_SECRET_NAME, encryption);
  await store.putSecret(DIGEST_SECRET_NAME, own, null);
  return (await store.secret(DIGEST_SECRET_NAME)) ?? own;
}

function encryptSecret(content: Uint8Array, name: string, encryption: Encryption): StoredSecret {
  return { keyId: encryption.keyId, encrypted: encryption.encrypt(content, name) };
}

function decryptSecret(
  { keyId, encrypted: bytes }: StoredSecret,
  name: string,
  encryption: Encryption,
  source: string,
): Uint8Array {
  try {
    return encryption.decrypt(bytes, keyId, name);
  } catch {
    throw new ConfigurationError(source, [
      `submissions.keys: the key "${keyId}" must have the secret that the store was encrypted with; add a new secret under another id`,
    ]);
  }
}

/**
 * Refuses a configured key if its secret differs from the secret that encrypted the store. The first start with a key
 * stores an encrypted empty text. Every key of the store has such a text, so no other stored data must be read.
 */
async function refuseChangedKeys(
  store: SubmissionStore,
  used: ReadonlySet<string>,
  encryption: Encryption,
  source: string,
): Promise<void> {
  const nameOf = (keyId: string): string => `key ${keyId}`;
  const proven = new Set<string>();
  for (const keyId of used) {
    const proof = await store.secret(nameOf(keyId));
    if (proof === null) continue;
    decryptSecret(proof, nameOf(keyId), encryption, source);
    proven.add(keyId);
  }
  const { keyId } = encryption;
  // The configuration may change the secret of a key that has not encrypted anything.
  if (proven.has(keyId)) return;
  const name = nameOf(keyId);
  await store.putSecret(name, encryptSecret(new Uint8Array(), name, encryption), keyId);
}

/** Refuses a configuration that lacks a key with which stored data was encrypted. */
function refuseMissingKeys(keyIds: Iterable<string>, encryption: Encryption, source: string): void {
  const unknown = [...new Set(keyIds)].filter((keyId) => !encryption.knows(keyId));
  if (unknown.length > 0)
    throw new ConfigurationError(
      source,
      unknown.map(
        (keyId) =>
          `submissions.keys: the key "${keyId}" must stay, after the new key: the store still has data that it encrypted`,
      ),
    );
}
