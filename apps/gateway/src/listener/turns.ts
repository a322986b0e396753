import type { Workload } from "./workload.ts";

/**
 * Does work in the order in which it came, so much of it in one turn of the event loop, and sends what is answered meanwhile
 * together.
 */
export interface Turns {
  /**
   * Does the work when the event loop has read what it can, and in a later turn when there is too much.
   * @param work - is called with the time that it has waited, in milliseconds
   */
  take(work: (waitedMs: number) => void): void;
  /**
   * Has an answer sent with the others that are ready: when the event loop has read what it can, and before more of what waits
   * is begun.
   * @param answer - must not throw: the other answers would not be sent
   */
  send(answer: () => void): void;
  /** How much work waits to be begun. */
  waiting(): number;
  /** Counts a request as in progress. Returns how to end that; only the first call of it does something. */
  begin(): () => void;
  /** Is to be called with every new connection: while several come the turns are short, for Node takes one in each. */
  connected(): void;
}

/** How long one turn may begin requests, in milliseconds; then answers are read and written before more are begun. */
const BUDGET_MS = 10;
/** How many requests one step begins, before the promises of these requests go on. */
const TOGETHER = 5;
/** How long one turn may begin requests while connections arrive: at least `SEVERAL` within `WITHIN_MS`. */
const SHORT_BUDGET_MS = 1;
const SEVERAL = 3;
const WITHIN_MS = 100;
/** How many steps a turn has at most: more than there is time for. */
const MOST_STEPS = 40;

/** Entries of requests that were begun are removed from the array when there are this many. */
const REMOVE_BEGUN_FROM = 1_000;

interface Waiting {
  readonly work: (waitedMs: number) => void;
  readonly since: number;
}

/**
 * Makes the turns of a server. Node begins every request that has arrived, and those that arrive meanwhile, before it
 * looks for an insurer's answer: with a thousand connections and quick refusals that takes seconds, in which what could
 * be answered runs into its limits. Sent one by one, each answer wakes the process that receives it, where that runs on the same
 * machine: a quote took 12 % more processor time, a forwarded lookup 19 %, a document 11 %, a lookup from memory 5 %.
 * Requests are begun after all that have arrived were read, a few in each step: several of them walk each part of their way
 * in a row, and the processor has its code and data in its caches. A quote took 26 % more processor time when each was begun while
 * the next one was not read yet.
 * @param workload - limits how many requests a turn begins
 * @param clock - in milliseconds; the process's own, unless a test holds the time
 */
export function createTurns(
  workload: Workload,
  clock: () => number = () => performance.now(),
): Turns {
  let waiting: (Waiting | undefined)[] = [];
  let next = 0;
  /** Steps that are still to come. */
  let planned = 0;
  /** When the open turn began; null when none is open. */
  let began: number | null = null;
  /** The open turn begins no more while this many requests are in progress. */
  let limitOfTurn = 0;
  let latest: readonly number[] = [];
  let answers: (() => void)[] = [];

  function countWaiting(): number {
    return waiting.length - next;
  }

  function plan(): void {
    const steps = Math.min(
      Math.ceil(countWaiting() / (areComing(clock()) ? 1 : TOGETHER)),
      MOST_STEPS,
    );
    for (; planned < steps; planned += 1) setImmediate(step);
  }

  /** The turn begins with its first step, and ends when the event loop has been round. */
  function step(): void {
    planned -= 1;
    sendAll();
    if (began === null) {
      began = clock();
      limitOfTurn = workload.beginTurn(countWaiting(), began);
      setImmediate(endTurn);
    }
    for (let left = areComing(began) ? 1 : TOGETHER; left > 0; left -= 1) {
      const first = waiting[next];
      if (first === undefined || workload.inProgress() >= limitOfTurn) return;
      const at = clock();
      if (at - began > (areComing(at) ? SHORT_BUDGET_MS : BUDGET_MS)) return;
      // What is done would hold its request in memory, and is not moved each time.
      waiting[next] = undefined;
      next += 1;
      if (next === waiting.length || next >= REMOVE_BEGUN_FROM) {
        waiting = waiting.slice(next);
        next = 0;
      }
      first.work(at - first.since);
    }
  }

  function endTurn(): void {
    began = null;
    plan();
  }

  function areComing(at: number): boolean {
    const [first] = latest;
    return first !== undefined && latest.length === SEVERAL && at - first < WITHIN_MS;
  }

  function sendAll(): void {
    if (answers.length === 0) return;
    const ready = answers;
    answers = [];
    for (const answer of ready) answer();
  }

  return {
    waiting: countWaiting,
    begin: () => workload.begin(),
    send(answer) {
      if (answers.push(answer) === 1) setImmediate(sendAll);
    },
    connected() {
      latest = [...latest, clock()].slice(-SEVERAL);
    },
    take(work) {
      waiting.push({ work, since: clock() });
      plan();
    },
  };
}
