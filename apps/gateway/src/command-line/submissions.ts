import { type Configuration, loadConfiguration } from "../configuration/load.ts";
import type { StorePlace } from "../configuration/submissions.ts";
import { openSubmissionKeys, retentionOf, storePlace } from "../configuration/submissions.ts";
import { checkStoreSecret, createEncryption, type Encryption } from "../store/encryption.ts";
import { openStore } from "../store/open-store.ts";
import type { StoredResolution, SubmissionRecord, SubmissionState } from "../store/record.ts";
import type { Moment } from "../store/running-time.ts";
import type { SubmissionStore } from "../store/store.ts";
import { pseudonymOf } from "../submissions/identity.ts";
import { resolveManually } from "../submissions/manual-resolution.ts";
import { decryptMatchFields, type MatchFields } from "../submissions/match.ts";
import { readStoreClock, type StoreClock } from "../submissions/store-clock.ts";
import { systemTime } from "../time.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";

/** What the command line says about a list. */
export interface ListOptions {
  readonly state: readonly SubmissionState[];
  readonly limit: number;
  readonly json?: boolean;
}

/** Who reads a submission's match fields, and why. */
export interface Look {
  readonly by: string;
  readonly reason: string;
}

/** What the command line says about a settlement. */
export interface SettleOptions {
  readonly as: "succeeded" | "failed";
  readonly insurerId?: string;
  readonly by: string;
  readonly reason: string;
}

/** Lists submissions, the newest first. */
export async function listSubmissions({ json, limit, state }: ListOptions): Promise<void> {
  const shown = await withStore(async ({ clock, store }) =>
    (await store.list(state, limit)).map((record) => printable(record, clock.now())),
  );
  if (json === true) await print(JSON.stringify(shown, null, 2));
  else if (shown.length === 0) await print(`No submission is ${state.join(" or ")}.`);
  else await print(table(shown));
}

/**
 * Shows one submission, who settled or corrected it, and who looked at its match fields.
 * @param look - if given, the match fields are decrypted and printed; who looked and why is recorded first
 */
export async function showSubmission(id: string, look: Look | null): Promise<void> {
  const facts = await withStore(async (open) => {
    const record = await found(open.store, id);
    const revealed = look === null ? {} : { matchFields: await reveal(open, record, look) };
    const all = await open.store.resolutions(id);
    return {
      ...printable(record, open.clock.now()),
      resolutions: all.filter(({ from, to }) => from !== to).map(shownResolution),
      looks: all.filter(({ from, to }) => from === to).map(shownLook),
      ...revealed,
    };
  });
  await print(safeJson(facts));
  if ("matchFields" in facts && facts.matchFields === null)
    process.stderr.write(
      "It has no match fields: they are dropped when a submission is settled.\n",
    );
}

/** Settles a submission by a person's word or corrects its end, while the gateway serves or not. */
export async function settleSubmission(id: string, options: SettleOptions): Promise<void> {
  const state = await withStore(async (open) => {
    const { clock, configuration, store } = open;
    const parts = {
      store,
      encryption: await openEncryption(open),
      retention: retentionOf(configuration),
      basePath: configuration.listen.basePath,
    };
    return resolveManually(parts, { id, at: clock.now(), ...options });
  });
  await print(`${id} is ${state}; its caller gets this answer from now on.`);
}

/** The store of a configuration, as a command uses it while a gateway may be running. */
export interface OpenStore {
  readonly store: SubmissionStore;
  readonly clock: StoreClock;
  readonly place: StorePlace;
  readonly configuration: Configuration;
}

/** Opens the configured store for a command, and closes it after its work. */
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

/** Finds a submission; throws when there is none. */
export async function found(store: SubmissionStore, id: string): Promise<SubmissionRecord> {
  const record = await store.find(id);
  if (record === null) throw new Error(`There is no submission ${id}.`);
  return record;
}

async function openEncryption({ configuration, store }: OpenStore): Promise<Encryption> {
  const keys = await openSubmissionKeys(configuration, process.env, "beside");
  const encryption = createEncryption(keys);
  await checkStoreSecret(store, encryption, configuration.source);
  return encryption;
}

/** Records who reads the match fields, then decrypts them; null if there are none. */
async function reveal(
  open: OpenStore,
  { id, keyId, matchFields }: SubmissionRecord,
  look: Look,
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

/** What an operator sees of a submission: nothing of what it says, and nothing of who it is about. */
function printable(
  record: SubmissionRecord,
  now: Moment,
): Readonly<Record<string, string | number | null>> {
  return {
    submissionId: record.id,
    state: record.state,
    provider: record.provider,
    segment: record.segment,
    account: record.account,
    endpoint: record.endpoint,
    caller: pseudonymOf(record.caller),
    insurerId: record.insurerId,
    receivedAt: instant(record.receivedAt),
    updatedAt: instant(record.updatedAt),
    queries: record.queries,
    nextQueryAt: record.nextQueryAt === null ? null : dueInstant(record.nextQueryAt, now),
  };
}

function shownResolution({ at, by, from, reason, to }: StoredResolution): object {
  return { at: instant(at), by, reason, from, to };
}

function shownLook({ at, by, from, reason }: StoredResolution): object {
  return { at: instant(at), by, reason, state: from };
}

/** When a running time will be reached if a gateway serves until then, as operators read it, in UTC. */
export function dueInstant(dueAt: number, { at, running }: Moment): string {
  return instant(at + dueAt - running);
}

/** An instant as operators read it, in UTC. */
export function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function table(rows: readonly Readonly<Record<string, string | number | null>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  return plainTable(
    names,
    rows.map((row) => names.map((name) => String(row[name] ?? "-"))),
  ).text;
}
