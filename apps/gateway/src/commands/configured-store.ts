import { type Configuration, loadConfiguration } from "../configuration/load.ts";
import {
  openSubmissionKeys,
  retentionOf,
  type StorePlace,
  storePlace,
} from "../configuration/submission-store.ts";
import { checkStoreSecret, createEncryption, type Encryption } from "../store/encryption.ts";
import { isReconciled as isReconciledIn, openStore } from "../store/open-store.ts";
import type { SubmissionRecord } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import { type ManualResolution, resolveManually } from "../submissions/manual-resolution.ts";
import { decryptMatchFields, type MatchFields } from "../submissions/match.ts";
import { readStoreClock, type StoreClock } from "../submissions/store-clock.ts";
import { systemTime } from "../time.ts";

/** The configured store, which a command has opened. A gateway may use the store at the same time. */
export interface OpenStore {
  readonly store: SubmissionStore;
  readonly clock: StoreClock;
  readonly place: StorePlace;
  readonly configuration: Configuration;
}

/** Opens the configured store for a command, and closes it after the work. */
export async function withStore<Result>(
  work: (open: OpenStore) => Promise<Result>,
): Promise<Result> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const place = storePlace(configuration, process.env);
  const store = await openStore(place, "beside");
  try {
    const clock = await readStoreClock(store, systemTime);
    return await work({ store, clock, place, configuration });
  } finally {
    await store.close();
  }
}

/** Returns the submission with an id; throws if the store has no such submission. */
export async function findSubmission({ store }: OpenStore, id: string): Promise<SubmissionRecord> {
  const record = await store.find(id);
  if (record === null) throw new Error(`There is no submission ${id}.`);
  return record;
}

/** Reports whether a running gateway reconciles the submissions of a segment. */
export function isReconciled({ place, store }: OpenStore, segment: string): Promise<boolean> {
  return isReconciledIn(place, store, segment);
}

/** The name of the person who reads a submission's match fields, and the person's reason. */
export interface MatchFieldAccess {
  readonly by: string;
  readonly reason: string;
}

/**
 * Records who reads a submission's match fields, then decrypts the fields. Returns null if the submission has no match
 * fields.
 */
export async function revealMatchFields(
  open: OpenStore,
  { id, keyId, matchFields }: SubmissionRecord,
  look: MatchFieldAccess,
): Promise<MatchFields | null> {
  const encryption = await openEncryption(open);
  if (matchFields === null || keyId === null) return null;
  await open.store.recordLook(id, Date.now(), look);
  try {
    return decryptMatchFields(encryption, id, matchFields, keyId);
  } catch {
    throw new Error(
      `The match fields of ${id} cannot be decrypted: submissions.keys needs the key "${keyId}" that encrypted them.`,
    );
  }
}

/**
 * Resolves a submission manually or corrects its result.
 * @returns the new state
 */
export async function resolveStoredSubmission(
  open: OpenStore,
  resolution: Omit<ManualResolution, "at">,
): Promise<string> {
  const { clock, configuration, store } = open;
  const parts = {
    store,
    encryption: await openEncryption(open),
    retention: retentionOf(configuration),
    basePath: configuration.listen.basePath,
  };
  return resolveManually(parts, { at: clock.now(), ...resolution });
}

/**
 * Opens the encryption of a store for a command.
 * @throws ConfigurationError if a key is missing or differs from the store's key
 */
export async function openEncryption({
  configuration,
  store,
}: Pick<OpenStore, "configuration" | "store">): Promise<Encryption> {
  const encryption = createEncryption(
    await openSubmissionKeys(configuration, process.env, "beside"),
  );
  await checkStoreSecret(store, encryption, configuration.source);
  return encryption;
}
