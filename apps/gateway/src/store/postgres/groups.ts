import { type Client, Result } from "pg";
import type { Row, Statement, Transaction } from "../statement.ts";
import { StoreUnavailableError } from "../store.ts";
import { answers, BEGIN, commit, type Driven, rowsOf, sendInOneWrite } from "./drive.ts";

/** Returns the transaction of an operation, from its beginning. */
export type Begin<Answer> = () => Transaction<Answer>;

/**
 * How an operation of a group ended: with a result; or not, because it has to run in a transaction of its own, or again in
 * another group. Then it has written nothing.
 */
export type Ending = { readonly result: unknown } | "alone" | "again";

/**
 * How long a statement of a group waits for a row or an index that another transaction has, in milliseconds. Then the
 * operations run alone, so that one that has to wait delays the others no longer than this.
 */
const LOCK_WAIT_MS = 100;

/** An operation of a group. */
export interface Member {
  readonly transaction: Transaction<unknown>;
  /** The locks that it takes first. */
  readonly locks: readonly bigint[];
  /** The statement that it needs next, or its result. */
  step: IteratorResult<Statement, unknown>;
}

/** Begins an operation, up to its first statement that takes no lock; null if it cannot run in a group. */
function memberOf(begin: Begin<unknown>): Member | null {
  const transaction = begin();
  const locks: bigint[] = [];
  let step = transaction.next();
  while (step.done !== true && step.value.locks !== undefined) {
    locks.push(...step.value.locks);
    step = transaction.next([]);
  }
  const member = { transaction, locks, step };
  return statementOf(member) === null ? null : member;
}

/**
 * Runs several operations in one transaction, up to its commit. An operation runs as far as its statements are safe alone,
 * which is to its end in almost every case: a submission that is new, or the end of one that is open. All others have to run
 * alone, once the transaction has ended. If another transaction has a lock of one of them, none of them writes.
 * @param client - made with `pipeline: true`
 * @param keepsPrepared - whether the server keeps prepared statements from one transaction to the next
 */
export async function driveGroup(
  client: Client,
  members: readonly Member[],
  keepsPrepared: boolean,
): Promise<Driven<readonly Ending[]>> {
  sendInOneWrite(client);
  const begun = client.query(beginningOf(members));
  const first = members.map(statementOf);
  const isCommitSent = first.every((statement) => statement?.endsTransaction === true);
  for (let active = members; ; ) {
    const sent = active.flatMap((member) => statementOf(member) ?? []);
    const rows = sent.map((statement) => rowsOf(client, statement, keepsPrepared));
    const committing = isCommitSent ? commit(client) : null;
    const [beginning, ...found] = await answers(begun, rows, isCommitSent);
    const missing = missingLocks(beginning, members);
    // Without all locks, no statement has written: what it returned means nothing.
    if (missing !== null) return { result: members.map(endingWithout(missing)), committing };
    for (const [at, member] of active.entries()) goOn(member, found[at] ?? []);
    active = active.filter(statementOf);
    if (isCommitSent || active.length === 0)
      return { result: members.map(({ step }) => endingOf(step)), committing };
    sendInOneWrite(client);
  }
}

/** The next statement of an operation if it may run in a group. */
function statementOf({ step }: Member): Statement | null {
  return step.done !== true && step.value.isSafeAlone === true ? step.value : null;
}

function goOn(member: Member, rows: readonly Row[]): void {
  const hasWritten = statementOf(member)?.isCounted === true && rows[0]?.changed !== 0;
  member.step = member.transaction.next(rows);
  // It would run again from its beginning, although it may be committed.
  if (hasWritten && member.step.done !== true) throw new StoreUnavailableError("unknown", true);
}

function endingOf(step: IteratorResult<Statement, unknown>): Ending {
  return step.done === true ? { result: step.value } : "alone";
}

/** What becomes of a member of a group that did not get some locks. */
function endingWithout(missing: ReadonlySet<bigint>): (member: Member) => Ending {
  return ({ locks }) => (locks.some((lock) => missing.has(lock)) ? "alone" : "again");
}

/**
 * The statements that begin a group. They take its locks without waiting, so that no two groups wait for each other's, and
 * set whether the group has them all, for `hasBegun` of the dialect. They return which locks the group has, unless it has all.
 */
function beginningOf(members: readonly Member[]): string {
  const taken = locksOf(members).map((lock) => `pg_try_advisory_xact_lock('${lock}'::BIGINT)`);
  return `${BEGIN}; SET LOCAL lock_timeout = ${LOCK_WAIT_MS};
    WITH tried AS MATERIALIZED (SELECT ARRAY[${taken.join()}]::BOOLEAN[] AS taken)
    SELECT set_config('gateway.has_begun', CASE WHEN false = ANY(taken) THEN 'no' ELSE 'yes' END, true),
      CASE WHEN false = ANY(taken) THEN taken END AS taken FROM tried`;
}

/** Each lock of a group once. */
function locksOf(members: readonly Member[]): readonly bigint[] {
  return [...new Set(members.flatMap(({ locks }) => locks))];
}

/** Reads from the answer to `beginningOf` which locks a group did not get; null if it has all. */
function missingLocks(beginning: unknown, members: readonly Member[]): ReadonlySet<bigint> | null {
  const last: unknown = Array.isArray(beginning) ? beginning.at(-1) : undefined;
  if (!(last instanceof Result)) throw new TypeError("The beginning of a group has no results");
  const taken: unknown = last.rows[0]?.taken;
  if (taken === null) return null;
  if (!Array.isArray(taken)) throw new TypeError("The beginning of a group has no locks");
  return new Set(locksOf(members).filter((_, at) => taken[at] !== true));
}

/** How operations are run. */
export interface GroupsParts {
  /** Runs an operation in a transaction of its own. */
  readonly alone: <Answer>(begin: Begin<Answer>) => Promise<Answer>;
  /** Runs operations in one transaction; resolves when it is on disk. */
  readonly together: (members: readonly Member[]) => Promise<readonly Ending[]>;
  /** How many groups run at the same time at most. */
  readonly most: number;
  /** How long an operation waits for the group before its own, in milliseconds. */
  readonly waitMs: number;
}

/** Groups of operations. */
export interface Groups {
  /**
   * Runs an operation with those that come at the same time.
   * @throws StoreUnavailableError also if it waited too long for the group before its own
   */
  run<Answer>(begin: Begin<Answer>): Promise<Answer>;
  /** Waits until all operations that were asked for have ended. */
  idle(): Promise<void>;
}

/** How many operations a group has at most, so that none of them waits long for the others. */
const LARGEST_GROUP = 50;
/** If a group takes longer than this, in milliseconds, another one runs beside it: its connection may hang. */
const SLOW_GROUP_MS = 250;

/** An operation that was asked for. */
interface Asked {
  readonly begin: Begin<unknown>;
  readonly member: Member;
  /** By the clock of `performance.now()`. */
  readonly askedAt: number;
  /** Whether it was in a group that did not get its locks. */
  readonly isAgain: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes groups of operations: those of one turn of the event loop, and those that come while a group is running. They share
 * the messages to the server and the flush to its disk. Usually one group runs at a time: with two, which are smaller, a
 * submission takes a tenth more processor time.
 */
export function createGroups({ alone, most, together, waitMs }: GroupsParts): Groups {
  let waiting: Asked[] = [];
  let running = 0;
  let isScheduled = false;
  let isWatched = false;
  let unended = 0;
  let allEnded = Promise.withResolvers<void>();

  function start(): void {
    isScheduled = false;
    if (waiting.length === 0 || running === most) return;
    const group = waiting.slice(0, LARGEST_GROUP);
    waiting = waiting.slice(LARGEST_GROUP);
    running += 1;
    const startedAt = performance.now();
    void run(group).then(() => {
      running -= 1;
      // Others have taken the place of one that was slow.
      if (running === 0 || performance.now() - startedAt < SLOW_GROUP_MS) start();
    });
  }

  async function run(group: readonly Asked[]): Promise<void> {
    try {
      const endings = await together(group.map(({ member }) => member));
      for (const [at, asked] of group.entries()) end(asked, endings[at] ?? "alone");
    } catch (error) {
      for (const asked of group)
        if (isOfOneOnly(error)) end(asked, "alone");
        else asked.reject(error);
    }
  }

  function end(asked: Asked, ending: Ending): void {
    const { begin, isAgain, reject, resolve } = asked;
    if (typeof ending === "object") resolve(ending.result);
    else if (ending === "alone" || isAgain) alone(begin).then(resolve, reject);
    else {
      waiting.unshift({ ...asked, isAgain: true });
      watchWaiting();
    }
  }

  /** A server that hangs must not make callers wait for one group after the other. */
  function lookAfterWaiting(): void {
    isWatched = false;
    const now = performance.now();
    const isLate = ({ askedAt }: Asked): boolean => now - askedAt >= waitMs;
    for (const { reject } of waiting.filter(isLate))
      reject(new StoreUnavailableError("timeout", false));
    waiting = waiting.filter((asked) => !isLate(asked));
    if (waiting.some(({ askedAt }) => now - askedAt >= SLOW_GROUP_MS)) start();
    watchWaiting();
  }

  function watchWaiting(): void {
    if (isWatched || waiting.length === 0) return;
    isWatched = true;
    setTimeout(lookAfterWaiting, SLOW_GROUP_MS).unref();
  }

  function ask(begin: Begin<unknown>, member: Member): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const askedAt = performance.now();
      waiting.push({ begin, member, askedAt, isAgain: false, resolve, reject });
      watchWaiting();
      if (running > 0 || isScheduled) return;
      isScheduled = true;
      setImmediate(start);
    });
  }

  return {
    async run<Answer>(begin: Begin<Answer>) {
      const member = memberOf(begin);
      unended += 1;
      try {
        // What a member ends with is the result of its own operation.
        return await (member === null ? alone(begin) : (ask(begin, member) as Promise<Answer>));
      } finally {
        unended -= 1;
        if (unended === 0) {
          allEnded.resolve();
          allEnded = Promise.withResolvers();
        }
      }
    },
    async idle() {
      if (unended > 0) await allEnded.promise;
    },
  };
}

/**
 * The codes of faults that concern one operation, or how the group was run, so that the operations can be carried out alone: a
 * value or a constraint that one violates (classes 22 and 23 of SQLSTATE), a row that one waits for (55P03), locks that two wait
 * for (40P01), and statements that are not prepared.
 */
const NOT_OF_ALL = /^(22|23|55P03|40P01)/;

/** Whether the operations of a group that failed can be carried out alone: nothing was written. */
function isOfOneOnly(error: unknown): boolean {
  if (!(error instanceof StoreUnavailableError) || error.mayBeWritten) return false;
  return NOT_OF_ALL.test(error.detail) || isOfPrepared(error);
}

/**
 * Whether the server does not keep prepared statements: it does not know one (26000), or knows it already (42P05). A pooler
 * that gives each transaction another connection may be before it.
 */
export function isOfPrepared(error: unknown): boolean {
  return error instanceof StoreUnavailableError && ["26000", "42P05"].includes(error.detail);
}
