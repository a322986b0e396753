import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Configuration, loadConfiguration } from "../configuration/load.ts";
import type { StorePlace } from "../configuration/submissions.ts";
import { storePlace } from "../configuration/submissions.ts";
import { makeStore, openAlone, openBackup, type StoreAlone } from "../store/alone.ts";
import {
  type CopyOptions,
  copyStore,
  markRestored as markStoreRestored,
  type TableDigest,
} from "../store/copy.ts";
import { StoreRefusedError } from "../store/faults.ts";
import type { LastRecord } from "../store/identity.ts";
import { print } from "./output/print.ts";
import { createProgress } from "./output/progress.ts";
import { plainTable } from "./output/table.ts";
import { instant, withStore } from "./submissions.ts";

/** Makes the configured store. */
export async function createStore(): Promise<void> {
  const name = await makeStore(configuredPlace());
  await print(
    `Made a store of submissions in ${name}. A start that does not find it has another volume or database: do not make a second one then.`,
  );
}

/** Copies the configured store into an empty place. */
export async function copyStoreTo(to: string): Promise<void> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const from = await openAlone(storePlace(configuration, process.env), "existing");
  const [target, digests] = await work(from, placeNamed(to), (target) => ({
    as: ({ mark, place }) => (mark === "restored" ? { mark, place } : { mark: "usual", place: "" }),
    leave: { mark: "copied", place: target },
  }));
  await print(
    [
      tableOf(digests),
      `Copied ${from.name} to ${target}: the rows and digests of both are equal. Gateways serve from the copy only, with the same submissions.keys.`,
      ...ownKey(configuration, to),
    ].join("\n"),
  );
}

/** The key that the first start made stays in the data folder. */
function ownKey({ data, submissions }: Configuration, to: string): readonly string[] {
  return submissions.keys.length > 0 || isAddress(to)
    ? []
    : [`Copy ${join(data, "submissions.key")} into ${resolve(to)}, too: it decrypts the store.`];
}

/** Restores a backup into the configured place. */
export async function restoreStore(from: string): Promise<void> {
  const backup = isAddress(from)
    ? await openAlone(placeNamed(from), "existing")
    : await openBackup(fileNamed(from));
  const [target, digests] = await work(backup, configuredPlace(), () => ({
    as: () => ({ mark: "restored", place: backup.name }),
    leave: null,
  }));
  await print(
    [
      tableOf(digests),
      `Restored ${backup.name} to ${target}: the rows and digests of both are equal.`,
      RESTORED,
    ].join("\n"),
  );
}

const RESTORED =
  "A gateway answers the submissions that this store knows and refuses others, until you run `insurance-gateway submissions accept-restore`.";

/** Marks the configured store as one that may lack submissions. */
export async function markRestored(): Promise<void> {
  const store = await openAlone(configuredPlace(), "existing");
  try {
    await markStoreRestored(store);
  } finally {
    await store.close();
  }
  await print(`Marked ${store.name} as restored. ${RESTORED}`);
}

/**
 * Prints what the lost part of a restored store may have had, and has gateways accept all submissions again.
 * @param onlyShow - changes nothing
 */
export async function acceptRestore(onlyShow: boolean): Promise<void> {
  const records = await withStore(async ({ store }) => {
    if ((await store.mark()) !== "restored")
      throw new Error("This store was not restored, so there is nothing to accept.");
    const last = await store.lastRecords();
    if (!onlyShow) await store.acceptRestore(Date.now());
    return last;
  });
  const end = onlyShow
    ? "Not accepted yet: run this again without --show when you have compared."
    : "Accepted. From now on gateways send submissions that this store does not know.";
  await print([...comparison(records), end].join("\n"));
}

function comparison(records: readonly LastRecord[]): readonly string[] {
  const [newest] = records;
  if (newest === undefined)
    return ["The store has no record: compare everything that each insurer has received."];
  return [
    `The last record of this store is of ${instant(newest.at)}.`,
    plainTable(
      ["segment", "account", "submissions", "last record"],
      records.map(({ at, account, segment, submissions }) => [
        segment,
        account,
        String(submissions),
        instant(at),
      ]),
    ).text,
    "Compare with each insurer: everything that it received after the last record of its account, or a few minutes before, and that `insurance-gateway submissions list --state succeeded` does not have, was sent by the lost part of the store. Tell its callers: a repeat with the same key is a new submission from now on.",
  ];
}

/** Copies between two stores, closes both, and gives the target's name and the digests. */
async function work(
  from: StoreAlone,
  to: StorePlace,
  marks: (target: string) => Omit<CopyOptions, "progress">,
): Promise<readonly [target: string, digests: readonly TableDigest[]]> {
  const shown = createProgress(process.stderr);
  try {
    const target = await openAlone(to, "new");
    try {
      const progress = (rows: number): void => shown.update(`${rows} rows`);
      return [target.name, await copyStore(from, target, { ...marks(target.name), progress })];
    } finally {
      await target.close();
    }
  } finally {
    shown.end();
    await from.close();
  }
}

function tableOf(digests: readonly TableDigest[]): string {
  return plainTable(
    ["table", "rows", "digest"],
    digests.map(({ digest, rows, table }) => [table, String(rows), digest.slice(0, 16)]),
  ).text;
}

function configuredPlace(): StorePlace {
  return storePlace(loadConfiguration(process.env, process.cwd()), process.env);
}

function isAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text);
}

function placeNamed(text: string): StorePlace {
  if (/^[a-z]+:\/\//i.test(text) && !isAddress(text))
    throw new StoreRefusedError("A place is a folder, or an address that begins with postgres://.");
  return isAddress(text)
    ? { data: "", databaseUrl: text }
    : { data: resolve(text), databaseUrl: undefined };
}

function fileNamed(text: string): string {
  const path = resolve(text);
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  return isFolder ? join(path, "submissions.sqlite") : path;
}
