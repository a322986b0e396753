import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { ClientBase } from "pg";
import { StoreUnavailableError } from "../faults.ts";
import type { Locks, Statement, Transaction } from "../statement.ts";
import { BEGIN, lockAll, rowsOf } from "./drive.ts";

// Operations that come at the same time form a group: they share a transaction, the messages to the server and the flush to its
// disk. A group writes all that its operations write, or nothing: if it fails by the fault of one of them, each runs alone.

/** Returns the transaction of an operation, from its beginning. */
export type Begin<Answer> = () => Transaction<Answer>;

/** How operations are run. */
export interface GroupsParts {
  /** Runs an operation in a transaction of its own. */
  readonly alone: <Answer>(begin: Begin<Answer>) => Promise<Answer>;
  /** Runs work on a connection that pipelines statements, and commits what it wrote. */
  readonly commit: <Answer>(work: (client: ClientBase) => Promise<Answer>) => Promise<Answer>;
  /** How long an operation waits for the group before its own, in milliseconds. */
  readonly waitMs: number;
}

/** How many operations a group has at most, so that none of them waits long for the others. */
const LARGEST_GROUP = 50;
/** If a group takes longer than this, in milliseconds, the next one runs beside it: its connection may hang. */
const SLOW_GROUP_MS = 250;
/** How long a group waits for a lock or a row that another transaction has, in milliseconds. Then its operations run alone. */
const LOCK_WAIT_MS = 100;

/** An operation that has begun. */
interface Member {
  readonly transaction: Transaction<unknown>;
  /** The locks that it takes first. */
  readonly locks: readonly bigint[];
  /** The statement that it needs next, or its result. */
  step: IteratorResult<Statement | Locks, unknown>;
}

/** An operation that waits for its group. */
interface Waiting extends Member {
  readonly begin: Begin<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Rejects it when it has waited too long. */
  readonly timer: NodeJS.Timeout;
}

/**
 * Makes a function that runs an operation with those that come at the same time: in the same turn of the event loop, or while
 * a group is running. One group runs at a time, beside those that are slow.
 * The function throws StoreUnavailableError also if the operation waited too long for the group before its own.
 */
export function createGroups({
  alone,
  commit,
  waitMs,
}: GroupsParts): <Answer>(begin: Begin<Answer>) => Promise<Answer> {
  const waiting = new Set<Waiting>();
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

  /** Takes operations that wait. No two of a group have a lock in common, which would not separate them in one transaction. */
  function nextGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    const taken = new Set<bigint>();
    for (const asked of waiting) {
      if (group.length === LARGEST_GROUP) break;
      if (asked.locks.some((lock) => taken.has(lock))) continue;
      for (const lock of asked.locks) taken.add(lock);
      clearTimeout(asked.timer);
      waiting.delete(asked);
      group.push(asked);
    }
    return group;
  }

  async function run(group: readonly Waiting[]): Promise<void> {
    try {
      await commit((client) => driveGroup(client, group, keepsPrepared));
      for (const { resolve, step } of group) resolve(step.value);
    } catch (error) {
      if (concernsPreparing(error)) keepsPrepared = false;
      for (const { begin, reject, resolve } of group)
        if (mayRunAlone(error)) resolve(alone(begin));
        else reject(error);
    }
  }

  return <Answer>(begin: Begin<Answer>) =>
    new Promise<Answer>((resolve, reject) => {
      const asked: Waiting = {
        ...memberOf(begin()),
        begin,
        // The result of its own transaction.
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
function memberOf(transaction: Transaction<unknown>): Member {
  const step = transaction.next();
  return step.done !== true && "locks" in step.value
    ? { transaction, locks: step.value.locks, step: transaction.next([]) }
    : { transaction, locks: [], step };
}

/**
 * Runs several operations in one transaction, up to its commit, none of which waits for the statements of the others. Their locks
 * are taken first, in one order, so that no two groups wait for each other.
 */
async function driveGroup(
  client: ClientBase,
  group: readonly Member[],
  keepsPrepared: boolean,
): Promise<void> {
  const locks = group
    .flatMap((member) => member.locks)
    .toSorted((one, other) => (one < other ? -1 : 1));
  const beginning = `${BEGIN}; SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`;
  await client.query(locks.length > 0 ? `${beginning}; ${lockAll(locks).sql}` : beginning);
  const finish = async (member: Member): Promise<void> => {
    while (member.step.done !== true) {
      const name = keepsPrepared ? nameOf(member.step.value) : null;
      member.step = member.transaction.next(await rowsOf(client, member.step.value, name));
    }
  };
  await Promise.all(group.map(finish));
}

/**
 * Names a statement that writes, so that the server reads and plans it once for each connection: a claim and an end are one each.
 * Others are planned for their values. No other text has the name in any process: a pooler may share its connections.
 */
function nameOf(step: Statement | Locks): string | null {
  if ("locks" in step || step.sql.startsWith("SELECT")) return null;
  return `gateway_submissions ${hash("sha256", step.sql).slice(0, 32)}`;
}

/**
 * The codes of faults that concern some operations of a group only: a value or a constraint that one violates (classes 22 and 23
 * of SQLSTATE), a row that one waits for (55P03), and locks that two wait for (40P01).
 */
const FAULTS_OF_SINGLE_OPERATIONS = /^(22|23|55P03|40P01)/;

/** Whether the operations of a group that failed can be carried out alone: nothing was written. */
function mayRunAlone(error: unknown): boolean {
  if (!(error instanceof StoreUnavailableError) || error.mayBeWritten) return false;
  return FAULTS_OF_SINGLE_OPERATIONS.test(error.detail) || concernsPreparing(error);
}

/**
 * Whether the server does not keep prepared statements: it does not know one (26000), or knows it already (42P05). A pooler
 * that gives each transaction another connection may be before it.
 */
function concernsPreparing(error: unknown): boolean {
  return error instanceof StoreUnavailableError && ["26000", "42P05"].includes(error.detail);
}
