import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { StorePlace } from "../../src/configuration/submission-store.ts";
import { openExclusive } from "../../src/store/exclusive-store.ts";
import { openSchemaToServe } from "../../src/store/migrations.ts";
import { sqliteConnectionOf } from "../../src/store/sqlite/connection.ts";
import { sqlite } from "../../src/store/sqlite/sqlite-dialect.ts";
import type { Dialect, Transaction } from "../../src/store/statement.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { createStore } from "../../src/store/store-of.ts";
import { transactionsOf } from "../../src/store/transactions.ts";

/**
 * Opens a store on a real database whose transactions run in this thread, one after another. A store with a separate
 * thread would need a second to start from the sources.
 */
export async function openDirectStore(place: StorePlace): Promise<SubmissionStore> {
  const alone = await openExclusive(place, "new");
  await alone.run(openSchemaToServe(alone.dialect, { name: alone.name, mustExist: false }));
  return directStore(
    alone.dialect,
    (transaction) => alone.run(transaction),
    () => alone.close(),
  );
}

/**
 * Opens an empty SQLite store in memory. Other work of the process can run before each transaction, as with a separate
 * thread.
 */
export async function openMemoryStore(): Promise<SubmissionStore> {
  const connection = sqliteConnectionOf(new DatabaseSync(":memory:"), null);
  connection.transaction(() =>
    connection.run(openSchemaToServe(sqlite, { name: "memory", mustExist: false })),
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
  return createStore(transactionsOf(dialect), ({ begin }) => runTransaction(begin()), {
    shared: false,
    isMoved: () => false,
    close,
  });
}
