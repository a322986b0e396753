import { type Configuration, loadConfiguration } from "../configuration/load.ts";
import { openSubmissionKeys, retentionOf, storePlace } from "../configuration/submissions.ts";
import { openStore } from "../store/open-store.ts";
import type { StoredResolution, SubmissionRecord, SubmissionState } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import { checkStoreSecret, createEncryption } from "../submissions/encryption.ts";
import { resolveManually } from "../submissions/manual-resolution.ts";

import { print } from "./output/print.ts";
import { plainTable } from "./output/table.ts";

/** What the command line says about a list. */
export interface ListOptions {
  readonly state: readonly SubmissionState[];
  readonly limit: number;
  readonly json?: boolean;
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
  const records = await withStore((store) => store.list(state, limit));
  if (json === true) await print(JSON.stringify(records.map(shown), null, 2));
  else if (records.length === 0) await print(`No submission is ${state.join(" or ")}.`);
  else await print(table(records.map(shown)));
}

/** Shows one submission, and who settled it. */
export async function showSubmission(id: string): Promise<void> {
  const { resolutions, record } = await withStore(async (store) => ({
    record: await store.find(id),
    resolutions: await store.resolutions(id),
  }));
  if (record === null) throw new Error(`There is no submission ${id}.`);
  const facts = { ...shown(record), settledBy: resolutions.map(shownResolution) };
  await print(JSON.stringify(facts, null, 2));
}

/** Settles a submission by a person's word, while the gateway serves or not. */
export async function settleSubmission(id: string, options: SettleOptions): Promise<void> {
  const state = await withStore(async (store, configuration) => {
    const keys = await openSubmissionKeys(configuration, process.env, "beside");
    const encryption = createEncryption(keys);
    await checkStoreSecret(store, encryption, configuration.source);
    const parts = {
      store,
      encryption,
      retention: retentionOf(configuration),
      basePath: configuration.listen.basePath,
    };
    return resolveManually(parts, { id, at: Date.now(), ...options });
  });
  await print(`${id} is ${state}; its caller gets this answer from now on.`);
}

async function withStore<Result>(
  work: (store: SubmissionStore, configuration: Configuration) => Promise<Result>,
): Promise<Result> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const store = await openStore(storePlace(configuration, process.env), "beside");
  try {
    return await work(store, configuration);
  } finally {
    await store.close();
  }
}

/** What an operator sees of a submission: nothing of what it says, and nothing of who it is about. */
function shown(record: SubmissionRecord): Readonly<Record<string, string | number | null>> {
  return {
    submissionId: record.id,
    state: record.state,
    provider: record.provider,
    endpoint: record.endpoint,
    insurerId: record.insurerId,
    receivedAt: instant(record.receivedAt),
    updatedAt: instant(record.updatedAt),
    lookups: record.queries,
    nextLookupAt: record.nextQueryAt === null ? null : instant(record.nextQueryAt),
  };
}

function shownResolution({ at, by, from, reason, to }: StoredResolution): object {
  return { at: instant(at), by, reason, from, to };
}

function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function table(rows: readonly Readonly<Record<string, string | number | null>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  return plainTable(
    names,
    rows.map((row) => names.map((name) => String(row[name] ?? "-"))),
  ).text;
}
