import { openAlone } from "../../src/store/alone.ts";
import type { StorePlace } from "../../src/store/open-store.ts";
import type { Transaction } from "../../src/store/statement.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { type RunTransaction, storeOf } from "../../src/store/store-of.ts";
import { transactionsOf } from "../../src/store/transactions.ts";

/**
 * Opens a store whose transactions run in this thread, one after the other, on a real database: a store of its own
 * thread takes a second to start where the sources run.
 */
export async function openDirectStore(place: StorePlace): Promise<SubmissionStore> {
  const alone = await openAlone(place, "import");
  const transactions = transactionsOf(alone.dialect);
  // Each name's transaction gives what the store's method of that name promises.
  const run = ((name: keyof typeof transactions, ...parameters: readonly never[]) =>
    alone.run(
      (transactions[name] as (...given: readonly never[]) => Transaction<unknown>)(...parameters),
    )) as RunTransaction;
  return storeOf(run, { shared: false, close: () => alone.close() });
}
