import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { ClientBase } from "pg";
import { StoreUnavailableError } from "../faults.ts";
import type { Locks, Statement, Transaction } from "../statement.ts";
import { BEGIN, executeStatement, lockStatement } from "./execute-transaction.ts";

// Simultaneous operations form a group, which shares a transaction, the messages to the server and the flush to disk.
// A group writes everything or nothing: if one operation makes the group fail, each operation runs alone.

/** A function that begins an operation of the store, and returns the operation's transaction. */
export type BeginOperation<Answer> = () => Transaction<Answer>;

/** The functions with which groups run operations. */
export interface GroupsParts {
  /** Runs an operation in a separate transaction. */
  readonly runAlone: <Answer>(begin: BeginOperation<Answer>) => Promise<Answer>;
  /** Runs work on a connection that sends statements without waiting for answers, and commits the work. */
  readonly runAndCommit: <Answer>(work: (client: ClientBase) => Promise<Answer>) => Promise<Answer>;
  /** Longest time that an operation waits for the previous group, in milliseconds. */
  readonly waitMs: number;
}

/** Maximum of operations in a group, so that no operation waits long for the others of its group. */
const MAX_GROUP_SIZE = 50;
/** Time after which a second group runs at the same time as a slow group, in milliseconds. A connection may hang. */
const SLOW_GROUP_MS = 250;
/** Longest wait of a group for another transaction's lock, in milliseconds. After that, each operation runs alone. */
const MAX_LOCK_WAIT_MS = 100;

/** An operation that has begun. */
interface RunningOperation {
  readonly transaction: Transaction<unknown>;
  /** The locks that the operation takes before its first statement. */
  readonly locks: readonly bigint[];
  /** The next statement of the operation, or its result. */
  step: IteratorResult<Statement | Locks, unknown>;
}

/** An operation that waits for its group. */
interface WaitingOperation extends RunningOperation {
  readonly begin: BeginOperation<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Rejects the operation after the longest wait, `waitMs`. */
  readonly timer: NodeJS.Timeout;
}

/**
 * Returns a function that runs simultaneous operations as a group: the operations of one turn of the event loop, or
 * those that arrive while a group is running. One group runs at a time, except beside a slow group. The function throws
 * StoreUnavailableError, even if the operation only waited too long for the previous group.
 */
export function createGroups({
  runAlone,
  runAndCommit,
  waitMs,
}: GroupsParts): <Answer>(begin: BeginOperation<Answer>) => Promise<Answer> {
  const waiting = new Set<WaitingOperation>();
  let isRunning = false;
  let keepsPrepared = true;

  async function runAll(): Promise<void> {
    isRunning = true;
    while (waiting.size > 0) {
      // The group also contains the operations that begin later in this turn of the event loop.
      await setImmediate();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, SLOW_GROUP_MS);
        void run(nextGroup()).then(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    isRunning = false;
  }

  /** Removes the next group from the queue. Two operations that lock the same number are never in one group. */
  function nextGroup(): readonly WaitingOperation[] {
    const group: WaitingOperation[] = [];
    const taken = new Set<bigint>();
    for (const asked of waiting) {
      if (group.length === MAX_GROUP_SIZE) break;
      if (asked.locks.some((lock) => taken.has(lock))) continue;
      for (const lock of asked.locks) taken.add(lock);
      clearTimeout(asked.timer);
      waiting.delete(asked);
      group.push(asked);
    }
    return group;
  }

  async function run(group: readonly WaitingOperation[]): Promise<void> {
    try {
      await runAndCommit((client) => executeGroup(client, group, keepsPrepared));
      for (const { resolve, step } of group) resolve(step.value);
    } catch (error) {
      if (isPreparedStatementFault(error)) keepsPrepared = false;
      for (const { begin, reject, resolve } of group)
        if (mayRunAlone(error)) resolve(runAlone(begin));
        else reject(error);
    }
  }

  return <Answer>(begin: BeginOperation<Answer>) =>
    new Promise<Answer>((resolve, reject) => {
      const asked: WaitingOperation = {
        ...startOperation(begin()),
        begin,
        // The group resolves each operation with the result of the same operation.
        resolve: (result) => resolve(result as Answer),
        reject,
        timer: setTimeout(() => {
          waiting.delete(asked);
          reject(new StoreUnavailableError("timeout", false));
        }, waitMs),
      };
      waiting.add(asked);
      if (!isRunning) void runAll();
    });
}

/** Begins an operation, collects the operation's locks, and runs the operation up to the first statement. */
function startOperation(transaction: Transaction<unknown>): RunningOperation {
  const step = transaction.next();
  return step.done !== true && "locks" in step.value
    ? { transaction, locks: step.value.locks, step: transaction.next([]) }
    : { transaction, locks: [], step };
}

/**
 * Runs several operations in one transaction, without the commit. No operation waits for another operation's
 * statements. All locks are taken at the start, in one order, so that no two groups wait for each other.
 */
async function executeGroup(
  client: ClientBase,
  group: readonly RunningOperation[],
  keepsPrepared: boolean,
): Promise<void> {
  const locks = group
    .flatMap((member) => member.locks)
    .toSorted((one, other) => (one < other ? -1 : 1));
  const beginning = `${BEGIN}; SET LOCAL lock_timeout = ${MAX_LOCK_WAIT_MS}`;
  await client.query(locks.length > 0 ? `${beginning}; ${lockStatement(locks).sql}` : beginning);
  const finish = async (member: RunningOperation): Promise<void> => {
    while (member.step.done !== true) {
      const name = keepsPrepared ? statementNameOf(member.step.value) : null;
      member.step = member.transaction.next(
        await executeStatement(client, member.step.value, name),
      );
    }
  };
  await Promise.all(group.map(finish));
}

/**
 * Returns a name for a statement that writes, so that the server plans it once for each connection; null for other
 * statements, which are planned for their values. A name means the same text in all processes, because a pooler may
 * share connections between processes.
 */
function statementNameOf(step: Statement | Locks): string | null {
  if ("locks" in step || step.sql.startsWith("SELECT")) return null;
  return `gateway_submissions ${hash("sha256", step.sql).slice(0, 32)}`;
}

/**
 * Codes of faults that concern only some operations of a group: an invalid value or a violated constraint (classes 22
 * and 23 of SQLSTATE), a locked row (55P03), or two operations that wait for each other (40P01).
 */
const FAULTS_OF_SINGLE_OPERATIONS = /^(22|23|55P03|40P01)/;

/** Reports whether the operations of a failed group can run alone, because the group wrote nothing. */
function mayRunAlone(error: unknown): boolean {
  if (!(error instanceof StoreUnavailableError) || error.mayBeWritten) return false;
  return FAULTS_OF_SINGLE_OPERATIONS.test(error.detail) || isPreparedStatementFault(error);
}

/**
 * Reports whether the server does not keep prepared statements: a statement is missing (26000), or exists already
 * (42P05). A pooler that gives each transaction another connection can be the reason.
 */
function isPreparedStatementFault(error: unknown): boolean {
  return error instanceof StoreUnavailableError && ["26000", "42P05"].includes(error.detail);
}
