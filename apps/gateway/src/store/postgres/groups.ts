import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { ClientBase } from "pg";
import { StoreUnavailableError } from "../faults.ts";
import type { Locks, Statement, Transaction } from "../statement.ts";
import { BEGIN, executeStatement, lockStatement } from "./execute-transaction.ts";

// Simultaneous operations form a group: they share a transaction, the messages to the server and the flush to its disk.
// A group writes everything or nothing: if one operation makes the group fail, each operation runs alone.

/** Begins an operation, and returns its transaction. */
export type BeginOperation<Answer> = () => Transaction<Answer>;

/** The functions with which groups run operations. */
export interface GroupsParts {
  /** Runs an operation in a separate transaction. */
  readonly alone: <Answer>(begin: BeginOperation<Answer>) => Promise<Answer>;
  /** Runs work on a connection that pipelines statements, and commits it. */
  readonly runAndCommit: <Answer>(work: (client: ClientBase) => Promise<Answer>) => Promise<Answer>;
  /** Longest time that an operation waits for the previous group, in milliseconds. */
  readonly waitMs: number;
}

/** Maximum of operations in a group, so that no operation waits long for the others. */
const MAX_GROUP_SIZE = 50;
/** Time after which the next group runs beside a slow group, whose connection may hang, in milliseconds. */
const SLOW_GROUP_MS = 250;
/** Longest wait of a group for another transaction's lock or row, in milliseconds. Then its operations run alone. */
const MAX_LOCK_WAIT_MS = 100;

/** A running operation. */
interface RunningOperation {
  readonly transaction: Transaction<unknown>;
  /** The locks that the operation takes first. */
  readonly locks: readonly bigint[];
  /** The next statement of the operation, or its result. */
  step: IteratorResult<Statement | Locks, unknown>;
}

/** An operation that waits for its group. */
interface WaitingOperation extends RunningOperation {
  readonly begin: BeginOperation<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Rejects the operation when it has waited too long. */
  readonly timer: NodeJS.Timeout;
}

/**
 * Returns a function that runs an operation together with simultaneous operations: those of the same turn of the event
 * loop, or those that arrive while a group is running. One group runs at a time, except beside slow groups. The
 * function throws StoreUnavailableError also if the operation waited too long for the previous group.
 */
export function createGroups({
  alone,
  runAndCommit,
  waitMs,
}: GroupsParts): <Answer>(begin: BeginOperation<Answer>) => Promise<Answer> {
  const waiting = new Set<WaitingOperation>();
  let isRunning = false;
  let keepsPrepared = true;

  async function runAll(): Promise<void> {
    isRunning = true;
    while (waiting.size > 0) {
      // Other requests of this turn of the event loop belong to the group, too.
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

  /** Removes the next group from the queue. Two operations with a common lock never share a group's transaction. */
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
        if (mayRunAlone(error)) resolve(alone(begin));
        else reject(error);
    }
  }

  return <Answer>(begin: BeginOperation<Answer>) =>
    new Promise<Answer>((resolve, reject) => {
      const asked: WaitingOperation = {
        ...startOperation(begin()),
        begin,
        // The result belongs to this operation.
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

/** Begins an operation, up to its first statement that takes no lock. */
function startOperation(transaction: Transaction<unknown>): RunningOperation {
  const step = transaction.next();
  return step.done !== true && "locks" in step.value
    ? { transaction, locks: step.value.locks, step: transaction.next([]) }
    : { transaction, locks: [], step };
}

/**
 * Runs several operations in one transaction, without the commit. No operation waits for the statements of another one.
 * All locks are taken first, in one order, so that no two groups wait for each other.
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
 * Names a statement that writes, so that the server reads and plans it once for each connection. Other statements are
 * planned for their values. A name stands for one text in all processes, because a pooler may share their connections.
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

/** Reports whether the operations of a failed group can run alone, because nothing was written. */
function mayRunAlone(error: unknown): boolean {
  if (!(error instanceof StoreUnavailableError) || error.mayBeWritten) return false;
  return FAULTS_OF_SINGLE_OPERATIONS.test(error.detail) || isPreparedStatementFault(error);
}

/**
 * Reports whether the server does not keep prepared statements: it does not know one (26000), or knows it already
 * (42P05). The reason may be a pooler that gives each transaction another connection.
 */
function isPreparedStatementFault(error: unknown): boolean {
  return error instanceof StoreUnavailableError && ["26000", "42P05"].includes(error.detail);
}
