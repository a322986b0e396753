import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { StorePlace } from "../../src/configuration/submission-store.ts";
import { openAlone } from "../../src/store/alone.ts";
import { openSchema } from "../../src/store/migrations.ts";
import { connectionOf } from "../../src/store/sqlite/connection.ts";
import { sqlite } from "../../src/store/sqlite/sqlite-dialect.ts";
import type { Dialect, Transaction } from "../../src/store/statement.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { storeOf } from "../../src/store/store-of.ts";
import { transactionsOf } from "../../src/store/transactions.ts";

/**
 * Opens a store on a real database whose transactions run in this thread, one after another. A store with a separate
 * thread needs a second to start from the sources.
 */
export async function openDirectStore(place: StorePlace): Promise<SubmissionStore> {
  const alone = await openAlone(place, "new");
  await alone.run(openSchema(alone.dialect, { name: alone.name, mustExist: false }));
  return directStore(
    alone.dialect,
    (transaction) => alone.run(transaction),
    () => alone.close(),
  );
}

/** Opens an empty SQLite store in memory. Other work can run before each transaction, as with a separate thread. */
export async function openMemoryStore(): Promise<SubmissionStore> {
  const connection = connectionOf(new DatabaseSync(":memory:"), null);
  connection.transaction(() =>
    connection.run(openSchema(sqlite, { name: "memory", mustExist: false })),
  );
  return directStore(
    sqlite,
    async (transaction) => {
      await setImmediate();
      return connection.transaction(() => connection.run(transaction));
    },
    async () => connection.close(),
  );
}

function directStore(
  dialect: Dialect,
  runTransaction: (transaction: Transaction<unknown>) => Promise<unknown>,
  close: () => Promise<void>,
): SubmissionStore {
  return storeOf(transactionsOf(dialect), ({ begin }) => runTransaction(begin()), {
    shared: false,
    isMoved: () => false,
    close,
  });
}
