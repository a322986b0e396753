import { randomBytes } from "node:crypto";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { StoredSecret, SubmissionStore } from "../store/store.ts";
import type { Sealer } from "./sealing.ts";

const NAME = "digests";
const SECRET_BYTES = 32;

/**
 * The secret that the store's digests are made with. It is made once and stays, sealed with the current key, so that
 * keys can be changed without forgetting who sent what.
 * @throws ConfigurationError when the store has something that none of the keys opens
 */
export async function openStoreSecret(
  store: SubmissionStore,
  sealer: Sealer,
  source: string,
): Promise<Uint8Array> {
  const kept = (await store.secret(NAME)) ?? (await make(store, sealer));
  refuseUnknown([kept.keyId, ...(await store.sealedWith())], sealer, source);
  const secret = open(kept, sealer, source);
  if (kept.keyId !== sealer.keyId) await store.putSecret(NAME, sealed(secret, sealer), kept.keyId);
  return secret;
}

/**
 * Checks that what this process seals is what the gateway opens, for a command that works beside it.
 * @throws ConfigurationError when the keys are not the store's
 */
export async function checkStoreSecret(
  store: SubmissionStore,
  sealer: Sealer,
  source: string,
): Promise<void> {
  const kept = await store.secret(NAME);
  if (kept === null) return;
  refuseUnknown([kept.keyId], sealer, source);
  open(kept, sealer, source);
}

/** When several processes are the first, one of them is. */
async function make(store: SubmissionStore, sealer: Sealer): Promise<StoredSecret> {
  const own = sealed(randomBytes(SECRET_BYTES), sealer);
  await store.putSecret(NAME, own, null);
  return (await store.secret(NAME)) ?? own;
}

function sealed(secret: Uint8Array, sealer: Sealer): StoredSecret {
  return { keyId: sealer.keyId, sealed: sealer.seal(secret, NAME) };
}

function open({ keyId, sealed: bytes }: StoredSecret, sealer: Sealer, source: string): Uint8Array {
  try {
    return sealer.open(bytes, keyId, NAME);
  } catch {
    throw new ConfigurationError(source, [
      `submissions.keys: the key "${keyId}" is not the one that the store was sealed with`,
    ]);
  }
}

function refuseUnknown(keyIds: readonly string[], sealer: Sealer, source: string): void {
  const unknown = [...new Set(keyIds)].filter((keyId) => !sealer.knows(keyId));
  if (unknown.length > 0)
    throw new ConfigurationError(
      source,
      unknown.map(
        (keyId) =>
          `submissions.keys: the store has what the key "${keyId}" sealed; keep that key, after the new one, until it is dropped`,
      ),
    );
}
