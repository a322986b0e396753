/** A value that both databases take. */
export type Value = string | number | null | Uint8Array;

/** A row as both databases give it. */
export type Row = Readonly<Record<string, unknown>>;

/** One SQL statement; its parameters are written $1, $2, … */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
  /**
   * Names its text: PostgreSQL then reads and plans it once for each connection, not each time. Only for a statement that returns
   * no rows: a migration may change those of one that does.
   */
  readonly name?: string;
  /** It only takes these locks, which other transactions then wait for. It has no values, and its rows mean nothing. */
  readonly locks?: readonly bigint[];
  /**
   * It does no harm outside of a transaction: it only reads, or has the condition `Dialect.holdsLocks`. It may be sent before
   * its transaction is known to have begun.
   */
  readonly isSafeAlone?: true;
  /**
   * It is the first statement of its transaction that is no lock, and the transaction ends with it if it writes a row: its commit
   * may be sent with it. If it writes none, what follows is a transaction of its own. A claim must not have this: a server that
   * answers too late would store one that was given up.
   */
  readonly endsTransaction?: true;
  /**
   * Its result is one row, whose `changed` is the number of rows that it wrote. For `RETURNING`, SQLite makes a table in
   * memory each time: without it, a claim and its settlement take 8 % less processor time of the store's thread.
   */
  readonly isCounted?: true;
}

/**
 * What is done in one transaction, written once for both databases: it yields statements and is given their rows.
 * It may be run again from its beginning, so it does nothing else.
 */
export type Transaction<Result> = Generator<Statement, Result, readonly Row[]>;

/** A row to insert: its values are parameters and constants, in the order of its columns. */
export interface InsertedRow {
  readonly table: string;
  readonly columns: string;
  /** The value of the first column, which must be declared NOT NULL. */
  readonly first: string;
  readonly others: string;
}

/** Where the two databases differ. */
export interface Dialect {
  readonly bytes: "BLOB" | "BYTEA";
  readonly integer: "INTEGER" | "BIGINT";
  /** The column that numbers the rows. */
  readonly numbering: string;
  /** Gives the store's tables by `name`, with `numbered` above 0 for those that have a column `number`. */
  readonly listTables: Statement;
  /** What stands before the values of rows that keep the numbers of another store. */
  readonly withNumbers: "" | "OVERRIDING SYSTEM VALUE";
  /** Has a table number its next row after the last one; null where it does so by itself. */
  readonly numberFrom: ((table: string) => Statement) | null;
  /** Keeps others from changing these tables until the transaction ends; null where one writes at a time anyway. */
  readonly lockTables: ((names: readonly string[]) => Statement) | null;
  /** Gives a row when there is the table that this names. */
  readonly findTable: (name: string) => Statement;
  /**
   * A condition that holds in every transaction of the store that has its locks; on PostgreSQL it does not hold outside of
   * one, nor in a group of operations that did not get its locks.
   */
  readonly holdsLocks: string;
  /**
   * The text of a statement that inserts a row if a condition holds. If it inserts none, the condition may still hold: SQLite
   * ignores a row that violates a constraint, while PostgreSQL reports an error.
   */
  readonly insertIf: (row: InsertedRow, condition: string) => string;
  /** Makes others wait who lock one of the same numbers, until the transaction ends; null where one writes at a time anyway. */
  readonly lock: ((...numbers: readonly bigint[]) => Statement) | null;
  /** What ends a SELECT so that its row stays as it is until the transaction ends. */
  readonly forShare: "" | "FOR SHARE";
  /** The database's own clock in milliseconds since 1970. */
  readonly now: string;
  /** Whether several processes serve from one database, so that its clock is the store's and not that of a process. */
  readonly isShared: boolean;
}
