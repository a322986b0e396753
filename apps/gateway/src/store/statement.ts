/** A value that both databases take. */
export type Value = string | number | null | Uint8Array;

/** A row as both databases give it. */
export type Row = Readonly<Record<string, unknown>>;

/** One SQL statement; its parameters are written $1, $2, … */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/**
 * Numbers to lock until the transaction ends: other transactions that lock one of them wait. They are taken in this order.
 * SQLite locks nothing for them: one transaction writes at a time.
 */
export interface Locks {
  readonly locks: readonly bigint[];
}

/**
 * The work of one transaction, written once for both databases: it yields statements and receives their rows. A statement that
 * returns no rows has one row all the same, whose `changed` is the number of rows that it wrote.
 * It may be run again from its beginning, so it does nothing else.
 */
export type Transaction<Result> = Generator<Statement | Locks, Result, readonly Row[]>;

/** The methods of a store, each as the transaction that it is. */
export type TransactionsOf<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (
    ...parameters: infer Parameters
  ) => Promise<infer Result>
    ? (...parameters: Parameters) => Transaction<Result>
    : never;
};

/** Where the two databases differ. */
export interface Dialect {
  readonly bytes: "BLOB" | "BYTEA";
  readonly integer: "INTEGER" | "BIGINT";
  /** The column that numbers the rows. */
  readonly numbering: string;
  /** Gives the store's tables by `name`, with `numbered` above 0 for those that have a column `number`. */
  readonly listTables: Statement;
  /** The words before the values of rows that keep the numbers of another store. */
  readonly withNumbers: "" | "OVERRIDING SYSTEM VALUE";
  /** Makes a table number its next row after the last one; null if it does so by itself. */
  readonly numberFrom: ((table: string) => Statement) | null;
  /** Prevents others from changing these tables until the transaction ends; null if only one can write at a time. */
  readonly lockTables: ((names: readonly string[]) => Statement) | null;
  /** Gives a row when there is the table that this names. */
  readonly findTable: (name: string) => Statement;
  /** The end of a SELECT that keeps its row unchanged until the transaction ends. */
  readonly forShare: "" | "FOR SHARE";
  /** The database's own clock in milliseconds since 1970. */
  readonly now: string;
  /** Whether several processes serve from one database, so that its clock is the store's and not that of a process. */
  readonly isShared: boolean;
}
