/** A value that both databases accept as a parameter. */
export type SqlValue = string | number | null | Uint8Array;

/** A row of a statement's result, as SQLite or PostgreSQL returns the row. */
export type Row = Readonly<Record<string, unknown>>;

/** One SQL statement. The placeholders of its parameters are $1, $2 and so on. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * Numbers that a transaction locks in this order until the transaction ends. Another transaction that locks one of them
 * waits. SQLite needs no locks, because only one transaction writes at a time.
 */
export interface Locks {
  readonly locks: readonly bigint[];
}

/**
 * The work of one transaction, for SQLite and PostgreSQL: a generator yields statements and receives the rows. For a
 * statement without result rows, it receives one row, whose `changed` is the number of changed rows. A transaction may
 * run again from the beginning, so a transaction must have no effects outside the database.
 */
export type Transaction<Result> = Generator<Statement | Locks, Result, readonly Row[]>;

/** The methods of a store, each as a function that returns its transaction. */
export type TransactionsOf<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (
    ...parameters: infer Parameters
  ) => Promise<infer Result>
    ? (...parameters: Parameters) => Transaction<Result>
    : never;
};

/** The differences between SQLite and PostgreSQL. */
export interface Dialect {
  readonly bytes: "BLOB" | "BYTEA";
  readonly integer: "INTEGER" | "BIGINT";
  /** Type of the column that numbers the rows. */
  readonly numbering: string;
  /** Returns the store's tables by `name`, with `numbered` above 0 if they have a column `number`. */
  readonly listTables: Statement;
  /** SQL before the values of inserted rows that keep the numbers of another store. */
  readonly withNumbers: "" | "OVERRIDING SYSTEM VALUE";
  /** Returns a statement that makes a table number new rows after its last row; null if the database does so itself. */
  readonly numberFrom: ((table: string) => Statement) | null;
  /** Returns a statement that locks tables against other writers; null if the database allows only one writer. */
  readonly lockTables: ((names: readonly string[]) => Statement) | null;
  /** Returns a statement with one row if the named table exists. */
  readonly findTable: (name: string) => Statement;
  /** SQL at the end of a SELECT that keeps the selected row unchanged until the transaction ends. */
  readonly forShare: "" | "FOR SHARE";
  /** SQL for the database's own clock, in milliseconds since 1970. */
  readonly now: string;
  /** True if several processes can serve from one database. The database's clock is then the store's clock. */
  readonly isShared: boolean;
}
