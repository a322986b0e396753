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
export function memberOf(begin: Begin<unknown>): Member | null {
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
 * set whether the group has them all, for `holdsLocks` of the dialect. They return which locks the group has, unless it has all.
 */
function beginningOf(members: readonly Member[]): string {
  const taken = locksOf(members).map((lock) => `pg_try_advisory_xact_lock('${lock}'::BIGINT)`);
  return `${BEGIN}; SET LOCAL lock_timeout = ${LOCK_WAIT_MS};
    WITH tried AS MATERIALIZED (SELECT ARRAY[${taken.join()}]::BOOLEAN[] AS taken)
    SELECT set_config('gateway.holds_locks', CASE WHEN false = ANY(taken) THEN 'no' ELSE 'yes' END, true),
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
