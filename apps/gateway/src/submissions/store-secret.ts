import { randomBytes } from "node:crypto";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { StoredSecret, SubmissionStore } from "../store/store.ts";
import type { Encryption } from "./encryption.ts";

const NAME = "digests";
const SECRET_BYTES = 32;

/**
 * The secret that the store's digests are made with. It is made once and stays, encrypted with the current key, so that
 * keys can be changed without forgetting who sent what.
 * @throws ConfigurationError when the store has something that none of the keys opens
 */
export async function openStoreSecret(
  store: SubmissionStore,
  encryption: Encryption,
  source: string,
): Promise<Uint8Array> {
  const kept = (await store.secret(NAME)) ?? (await make(store, encryption));
  refuseUnknown([kept.keyId, ...(await store.encryptedWith())], encryption, source);
  const secret = open(kept, encryption, source);
  if (kept.keyId !== encryption.keyId)
    await store.putSecret(NAME, encrypted(secret, encryption), kept.keyId);
  return secret;
}

/**
 * Checks that what this process encrypts is what the gateway opens, for a command that works beside it.
 * @throws ConfigurationError when the keys are not the store's
 */
export async function checkStoreSecret(
  store: SubmissionStore,
  encryption: Encryption,
  source: string,
): Promise<void> {
  const kept = await store.secret(NAME);
  if (kept === null) return;
  refuseUnknown([kept.keyId], encryption, source);
  open(kept, encryption, source);
}

/** When several processes are the first, one of them is. */
async function make(store: SubmissionStore, encryption: Encryption): Promise<StoredSecret> {
  const own = encrypted(randomBytes(SECRET_BYTES), encryption);
  await store.putSecret(NAME, own, null);
  return (await store.secret(NAME)) ?? own;
}

function encrypted(secret: Uint8Array, encryption: Encryption): StoredSecret {
  return { keyId: encryption.keyId, encrypted: encryption.encrypt(secret, NAME) };
}

function open(
  { keyId, encrypted: bytes }: StoredSecret,
  encryption: Encryption,
  source: string,
): Uint8Array {
  try {
    return encryption.decrypt(bytes, keyId, NAME);
  } catch {
    throw new ConfigurationError(source, [
      `submissions.keys: the key "${keyId}" is not the one that the store was encrypted with`,
    ]);
  }
}

function refuseUnknown(keyIds: readonly string[], encryption: Encryption, source: string): void {
  const unknown = [...new Set(keyIds)].filter((keyId) => !encryption.knows(keyId));
  if (unknown.length > 0)
    throw new ConfigurationError(
      source,
      unknown.map(
        (keyId) =>
          `submissions.keys: the store has what the key "${keyId}" encrypted; keep that key, after the new one, until it is dropped`,
      ),
    );
}
