import { type Client, Result } from "pg";
import type { Row, Statement, Transaction } from "../statement.ts";
import { StoreUnavailableError } from "../store.ts";
import { answers, BEGIN, commit, type Driven, rowsOf, sendInOneWrite } from "./drive.ts";

/** Returns the transaction of an operation, from its beginning. */
export type Begin<Result> = () => Transaction<Result>;

/** How an operation of a group ended; null if it has to run in a transaction of its own, and has written nothing. */
export type Ending = { readonly result: unknown } | null;

/**
 * How long a statement of a group waits for a row or an index that another transaction has, in milliseconds. Then the
 * operations run alone: one that has to wait delays no other.
 */
const LOCK_WAIT_MS = 100;

/**
 * Runs several operations in one transaction, up to its commit. An operation runs as far as its statements are safe alone,
 * which is to its end in almost every case: a submission that is new, or the end of one that is open. All others have to run
 * alone, once the transaction has ended. If another transaction has a lock of one of them, none of them writes.
 * @param client - made with `pipeline: true`
 */
export async function driveGroup(
  client: Client,
  operations: readonly Begin<unknown>[],
): Promise<Driven<readonly Ending[]>> {
  const members = operations.map(memberOf);
  sendInOneWrite(client);
  const begun = client.query(beginningOf(members));
  const first = members.map(statementOf);
  const isCommitSent = first.every((statement) => statement?.endsTransaction === true);
  for (let active = members.filter(statementOf); ; ) {
    const sent = active.flatMap((member) => statementOf(member) ?? []);
    const rows = sent.map((statement) => rowsOf(client, statement));
    const committing = isCommitSent ? commit(client) : null;
    const [beginning, ...found] = await answers(begun, rows, isCommitSent);
    // Without the locks, no statement has written: what it returned means nothing.
    if (!hasLocks(beginning)) return { result: members.map(() => null), committing };
    for (const [at, member] of active.entries()) goOn(member, found[at] ?? []);
    active = active.filter(statementOf);
    if (isCommitSent || active.length === 0)
      return { result: members.map(({ step }) => endingOf(step)), committing };
    sendInOneWrite(client);
  }
}

/** An operation of a group. */
interface Member {
  readonly transaction: Transaction<unknown>;
  readonly locks: readonly bigint[];
  /** The statement that it needs next, or its result. */
  step: IteratorResult<Statement, unknown>;
}

function memberOf(begin: Begin<unknown>): Member {
  const transaction = begin();
  const locks: bigint[] = [];
  let step = transaction.next();
  while (step.done !== true && step.value.locks !== undefined) {
    locks.push(...step.value.locks);
    step = transaction.next([]);
  }
  return { transaction, locks, step };
}

/** The next statement of an operation if it may run in a group. */
function statementOf({ step }: Member): Statement | null {
  return step.done !== true && step.value.isSafeAlone === true ? step.value : null;
}

function goOn(member: Member, rows: readonly Row[]): void {
  const hasWritten = statementOf(member)?.isCounted === true && rows[0]?.changed !== 0;
  member.step = member.transaction.next(rows);
  // It would be run again from its beginning.
  if (hasWritten && member.step.done !== true)
    throw new TypeError("An operation of a group must end with the statement that writes");
}

function endingOf(step: IteratorResult<Statement, unknown>): Ending {
  return step.done === true ? { result: step.value } : null;
}

/**
 * The statements that begin a group. They take its locks without waiting, so that no two groups can wait for each other, and
 * set whether the group has them all, for `hasBegun` of the dialect.
 */
function beginningOf(members: readonly Member[]): string {
  const locks = new Set(members.flatMap((member) => member.locks));
  const taken = [...locks].map((lock) => `pg_try_advisory_xact_lock('${lock}'::BIGINT)`);
  const hasAll = ["true", ...taken].join(" AND ");
  return `${BEGIN}; SET LOCAL lock_timeout = ${LOCK_WAIT_MS};
    SELECT set_config('gateway.has_begun', CASE WHEN ${hasAll} THEN 'yes' ELSE 'no' END, true)`;
}

/** Reads the answer to `beginningOf`: the results of its statements. */
function hasLocks(beginning: unknown): boolean {
  const last: unknown = Array.isArray(beginning) ? beginning.at(-1) : undefined;
  if (!(last instanceof Result)) throw new TypeError("The beginning of a group has no results");
  return last.rows[0]?.set_config === "yes";
}

/** How operations are run. */
export interface GroupsParts {
  /** Runs an operation in a transaction of its own. */
  readonly alone: <Result>(begin: Begin<Result>) => Promise<Result>;
  /** Runs operations in one transaction; resolves when it is on disk. */
  readonly together: (begins: readonly Begin<unknown>[]) => Promise<readonly Ending[]>;
  /** How long an operation waits for the group before its own, in milliseconds. */
  readonly waitMs: number;
}

/**
 * Runs an operation with those that come at the same time.
 * @throws StoreUnavailableError also if it waited too long for the group before its own
 */
export type RunInGroup = <Result>(begin: Begin<Result>) => Promise<Result>;

/** How many operations a group has at most, so that none of them waits long for the others. */
const LARGEST_GROUP = 50;

/** An operation that was asked for. */
interface Asked {
  readonly begin: Begin<unknown>;
  /** By the clock of `performance.now()`. */
  readonly askedAt: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes groups of operations: those of one turn of the event loop, and those that come while a group is running. They share
 * the messages to the server and the flush to its disk. One group runs at a time: with two, which are smaller, a submission
 * takes a tenth more processor time.
 */
export function createGroups({ alone, together, waitMs }: GroupsParts): RunInGroup {
  let waiting: Asked[] = [];
  let isBusy = false;
  let watch: NodeJS.Timeout | undefined;

  function start(): void {
    isBusy = waiting.length > 0;
    if (!isBusy) return;
    const group = waiting.slice(0, LARGEST_GROUP);
    waiting = waiting.slice(LARGEST_GROUP);
    void run(group).then(start);
  }

  async function run(group: readonly Asked[]): Promise<void> {
    try {
      const endings = await together(group.map(({ begin }) => begin));
      for (const [at, asked] of group.entries()) end(asked, endings[at] ?? null);
    } catch (error) {
      for (const asked of group)
        if (isOfOneOnly(error)) end(asked, null);
        else asked.reject(error);
    }
  }

  function end({ begin, reject, resolve }: Asked, ending: Ending): void {
    if (ending === null) alone(begin).then(resolve, reject);
    else resolve(ending.result);
  }

  /** A server that hangs must not make callers wait for one group after the other. */
  function rejectLate(): void {
    const now = performance.now();
    const isLate = ({ askedAt }: Asked): boolean => now - askedAt >= waitMs;
    for (const { reject } of waiting.filter(isLate))
      reject(new StoreUnavailableError("timeout", false));
    waiting = waiting.filter((asked) => !isLate(asked));
    watch = undefined;
    watchOldest();
  }

  function watchOldest(): void {
    const [oldest] = waiting;
    if (watch !== undefined || oldest === undefined) return;
    // Not before it is late: timers have whole milliseconds.
    const leftMs = oldest.askedAt + waitMs - performance.now() + 1;
    watch = setTimeout(rejectLate, leftMs).unref();
  }

  return (begin) =>
    new Promise((resolve, reject) => {
      const askedAt = performance.now();
      // What resolves it is the result of its own operation.
      waiting.push({ begin, askedAt, resolve: resolve as Asked["resolve"], reject });
      watchOldest();
      if (isBusy) return;
      isBusy = true;
      setImmediate(start);
    });
}

/** A value or a constraint that only one operation violates (classes 22 and 23 of SQLSTATE), or a row that it waits for (55P03). */
const OF_ONE_ONLY = /^(22|23|55P03)/;

/** Whether an error is the fault of one operation, so that the others can be carried out. Nothing was written. */
function isOfOneOnly(error: unknown): boolean {
  return (
    error instanceof StoreUnavailableError && !error.mayBeWritten && OF_ONE_ONLY.test(error.detail)
  );
}
