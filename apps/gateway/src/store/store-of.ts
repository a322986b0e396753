import type { Transaction } from "./statement.ts";
import type { SubmissionStore, Transactions } from "./store.ts";

/** A call of one of the store's methods. */
export interface Operation {
  readonly name: string;
  readonly parameters: readonly unknown[];
  /** Begins the transaction of the call, and returns the transaction. */
  readonly begin: () => Transaction<unknown>;
}

/**
 * Creates a store whose methods run transactions.
 * @param run - runs a transaction, and resolves with the transaction's result when the changes are on disk
 */
export function createStore(
  transactions: Transactions,
  run: (operation: Operation) => Promise<unknown>,
  others: Pick<SubmissionStore, "close" | "isMoved" | "shared">,
): SubmissionStore {
  const methods = Object.entries(transactions).map(([name, transaction]) => {
    // The method passes its parameters on to the transaction.
    const begin = transaction as (...parameters: readonly unknown[]) => Transaction<unknown>;
    return [
      name,
      (...parameters: readonly unknown[]) =>
        run({ name, parameters, begin: () => begin(...parameters) }),
    ] as const;
  });
  // `Transactions` has every method of the store except those in `others`.
  return { ...Object.fromEntries(methods), ...others } as SubmissionStore;
}
