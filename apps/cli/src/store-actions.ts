import {
  type CopiedStore,
  type CopyProgress,
  copyConfiguredStore,
  createConfiguredStore,
  type LastAccountRecord,
  markConfiguredStoreRestored,
  restoreConfiguredStore,
  withStore,
} from "@insurance-gateway/gateway/store";
import { tableOf } from "./output/list.ts";
import { print } from "./output/print.ts";
import { createProgress } from "./output/progress.ts";
import { instant } from "./submissions.ts";

/** Makes the configured store. */
export async function createStore(): Promise<void> {
  const name = await createConfiguredStore();
  await print(
    `Made a store of submissions in ${name}. A start that does not find it has another volume or database: do not make a second one then.`,
  );
}

/** Copies the configured store into an empty place. */
export async function copyStoreTo({ to: place }: { readonly to: string }): Promise<void> {
  const copied = await shown((progress) => copyConfiguredStore(place, progress));
  const { from, key, to } = copied;
  await print(
    [
      digestsOf(copied),
      `Copied ${from} to ${to}: the rows and digests of both are equal. Gateways serve from the copy only, with the same submissions.keys.`,
      ...(key === null ? [] : [`Copy ${key.file} into ${key.folder}, too: it decrypts the store.`]),
    ].join("\n"),
  );
}

/** Restores a backup into the configured place. */
export async function restoreStore(backup: string): Promise<void> {
  const restored = await shown((progress) => restoreConfiguredStore(backup, progress));
  await print(
    [
      digestsOf(restored),
      `Restored ${restored.from} to ${restored.to}: the rows and digests of both are equal.`,
      RESTORED,
    ].join("\n"),
  );
}

const RESTORED =
  "A gateway answers the submissions that this store knows and refuses others, until you run `insurance-gateway submissions accept-restore`.";

/** Marks the configured store as one that may lack submissions. */
export async function markRestored(): Promise<void> {
  await print(`Marked ${await markConfiguredStoreRestored()} as restored. ${RESTORED}`);
}

/**
 * Prints what the lost part of a restored store may have had, and has gateways accept all submissions again.
 * @param options.show - changes nothing
 */
export async function acceptRestore({
  show: onlyShow = false,
}: {
  readonly show?: boolean;
}): Promise<void> {
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

function comparison(records: readonly LastAccountRecord[]): readonly string[] {
  const [newest] = records;
  if (newest === undefined)
    return ["The store has no record: compare everything that each insurer has received."];
  return [
    `The last record of this store is of ${instant(newest.at)}.`,
    tableOf(records, {
      segment: ({ segment }) => segment,
      account: ({ account }) => account,
      submissions: ({ submissions }) => submissions,
      "last record": ({ at }) => instant(at),
    }),
    "Compare with each insurer: everything that it received after the last record of its account, or a few minutes before, and that `insurance-gateway submissions list --state succeeded` does not have, was sent by the lost part of the store. Tell its callers: a repeat with the same key is a new submission from now on.",
  ];
}

/** Copies with its progress on standard error. */
async function shown<Copied>(copy: (progress: CopyProgress) => Promise<Copied>): Promise<Copied> {
  const progress = createProgress(process.stderr);
  try {
    return await copy((rows) => progress.update(`${rows} rows`));
  } finally {
    progress.end();
  }
}

function digestsOf({ digests }: CopiedStore): string {
  return tableOf(digests, {
    table: ({ table }) => table,
    rows: ({ rows }) => rows,
    digest: ({ digest }) => digest.slice(0, 16),
  });
}
