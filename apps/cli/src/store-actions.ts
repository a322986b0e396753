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
import { formatTable } from "./output/list.ts";
import { print } from "./output/print.ts";
import { createProgress } from "./output/progress.ts";
import { formatInstant } from "./submissions.ts";

/** Creates the configured store. */
export async function createStore(): Promise<void> {
  const name = await createConfiguredStore();
  await print(
    `Created a store of submissions in ${name}. If a gateway does not find this store later, its volume or database is wrong: do not create a second store.`,
  );
}

/** Copies the configured store to an empty folder or database. */
export async function copyStoreTo({ to: place }: { readonly to: string }): Promise<void> {
  const copied = await withProgress((progress) => copyConfiguredStore(place, progress));
  const { from, key, to } = copied;
  await print(
    [
      digestsOf(copied),
      `Copied ${from} to ${to}: the rows and digests of both are equal. From now on, gateways must use only the copy, with the same submissions.keys.`,
      ...(key === null
        ? []
        : [`Also copy ${key.file} into ${key.folder}: this key decrypts the store.`]),
    ].join("\n"),
  );
}

/** Restores a backup to the configured folder or database. */
export async function restoreStore(backup: string): Promise<void> {
  const restored = await withProgress((progress) => restoreConfiguredStore(backup, progress));
  await print(
    [
      digestsOf(restored),
      `Restored ${restored.from} to ${restored.to}: the rows and digests of both are equal.`,
      RESTORED_NOTE,
    ].join("\n"),
  );
}

const RESTORED_NOTE =
  "A gateway answers the submissions that this store knows and refuses others, until you run `insurance-gateway submissions accept-restore`.";

/** Marks the configured store as restored, because it may lack submissions. */
export async function markRestored(): Promise<void> {
  await print(`Marked ${await markConfiguredStoreRestored()} as restored. ${RESTORED_NOTE}`);
}

/**
 * Prints what to compare with the insurers after a restore, and lets gateways accept all submissions again.
 * @param options.show - true to print only, and to change nothing
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
    ? "Not accepted yet: compare with the insurers, then run this again without --show."
    : "Accepted. From now on gateways send submissions that this store does not know.";
  await print([...comparisonText(records), end].join("\n"));
}

function comparisonText(records: readonly LastAccountRecord[]): readonly string[] {
  const [newest] = records;
  if (newest === undefined)
    return ["The store has no record: compare everything that each insurer has received."];
  return [
    `The newest record of this store is from ${formatInstant(newest.at)}.`,
    formatTable(records, {
      segment: ({ segment }) => segment,
      account: ({ account }) => account,
      submissions: ({ submissions }) => submissions,
      "last record": ({ at }) => formatInstant(at),
    }),
    "Compare with each insurer: everything that it received after the last record of its account, or a few minutes before, and that `insurance-gateway submissions list --state succeeded` does not have, was sent by the lost part of the store. Tell its callers: a repeat with the same key is a new submission from now on.",
  ];
}

/** Runs a copy and shows its progress on standard error. */
async function withProgress<Copied>(
  copy: (progress: CopyProgress) => Promise<Copied>,
): Promise<Copied> {
  const progress = createProgress(process.stderr);
  try {
    return await copy((rows) => progress.update(`${rows} rows`));
  } finally {
    progress.end();
  }
}

function digestsOf({ digests }: CopiedStore): string {
  return formatTable(digests, {
    table: ({ table }) => table,
    rows: ({ rows }) => rows,
    digest: ({ digest }) => digest.slice(0, 16),
  });
}
