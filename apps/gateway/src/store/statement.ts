/** A value that both databases accept. */
export type Value = string | number | null | Uint8Array;

/** A row as both databases return it. */
export type Row = Readonly<Record<string, unknown>>;

/** One SQL statement; its parameters are written $1, $2, … */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/**
 * Numbers to lock until the transaction ends, in this order. Other transactions that lock one of these numbers wait.
 * SQLite needs no locks, because one transaction writes at a time.
 */
export interface Locks {
  readonly locks: readonly bigint[];
}

/**
 * The work of one transaction, written once for both databases: it yields statements and receives their rows. A
 * statement that returns no rows receives one row, whose `changed` is the number of rows that it wrote. A transaction
 * may be run again from its beginning, so it does nothing else.
 */
export type Transaction<Result> = Generator<Statement | Locks, Result, readonly Row[]>;

/** The methods of a store, each as a transaction. */
export type TransactionsOf<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (
    ...parameters: infer Parameters
  ) => Promise<infer Result>
    ? (...parameters: Parameters) => Transaction<Result>
    : never;
};

/** The differences between the two databases. */
export interface Dialect {
  readonly bytes: "BLOB" | "BYTEA";
  readonly integer: "INTEGER" | "BIGINT";
  /** Type of the column that numbers the rows. */
  readonly numbering: string;
  /** Returns the store's tables by `name`, with `numbered` above 0 if they have a column `number`. */
  readonly listTables: Statement;
  /** Words before the values of rows that keep the numbers of another store. */
  readonly withNumbers: "" | "OVERRIDING SYSTEM VALUE";
  /** Returns a statement that makes a table number its next row after the last one; null if that is automatic. */
  readonly numberFrom: ((table: string) => Statement) | null;
  /** Returns a statement that keeps others from changing these tables in this transaction; null if none can write. */
  readonly lockTables: ((names: readonly string[]) => Statement) | null;
  /** Returns a statement with one row if the named table exists. */
  readonly findTable: (name: string) => Statement;
  /** End of a SELECT that keeps its row unchanged until the transaction ends. */
  readonly forShare: "" | "FOR SHARE";
  /** The database's own clock in milliseconds since 1970. */
  readonly now: string;
  /** True if several processes serve from one database, so that the database's clock is the store's clock. */
  readonly isShared: boolean;
}
