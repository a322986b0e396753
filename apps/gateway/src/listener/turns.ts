/**
 * Does work in the order in which it came, so much of it in one turn of the event loop, and sends what is answered meanwhile
 * together.
 */
export interface Turns {
  /**
   * Does the work at once while the turn has time left, and in a later turn otherwise.
   * @param work - is called with the time that it has waited, in milliseconds
   */
  take(work: (waitedMs: number) => void): void;
  /**
   * Has an answer sent with the others that are ready: when the event loop has read what it can, and before more of what waits
   * is begun.
   * @param answer - must not throw: the other answers would not be sent
   */
  send(answer: () => void): void;
  /** Is to be called with every new connection: while several come the turns are short, for Node takes one in each. */
  connected(): void;
}

/** So long work is begun in one turn; then answers are read and written before more is begun. */
const BUDGET_MS = 10;
/** The same while connections come: at least so many within so long. */
const SHORT_BUDGET_MS = 1;
const SEVERAL = 3;
const WITHIN_MS = 100;
/** More than can be begun in that time. */
const MOST_IN_A_TURN = 200;

/** So much that is done may stand before what waits. */
const MOST_DONE_HELD = 1_000;

interface Waiting {
  readonly work: (waitedMs: number) => void;
  readonly since: number;
}

/**
 * Makes the turns of a server. Node begins every request that has arrived, and those that arrive meanwhile, before it
 * looks for an insurer's answer: with a thousand connections and quick refusals that takes seconds, in which what could
 * be answered runs into its limits. Sent one by one, each answer wakes the process that receives it, where that runs on the same
 * machine: a quote took 12 % more processor time, a forwarded lookup 19 %, a document 11 %, a lookup from memory 5 %.
 * @param clock - in milliseconds; the process's own, unless a test holds the time
 */
export function createTurns(clock: () => number = () => performance.now()): Turns {
  let waiting: (Waiting | undefined)[] = [];
  let next = 0;
  let began = 0;
  let isOpen = false;
  let latest: readonly number[] = [];
  let answers: (() => void)[] = [];

  /** The turn begins with its first work, and ends when the event loop has been round. */
  function isOver(at: number): boolean {
    if (!isOpen) {
      isOpen = true;
      began = at;
      setImmediate(endTurn);
    }
    return at - began > (areComing(at) ? SHORT_BUDGET_MS : BUDGET_MS);
  }

  function areComing(at: number): boolean {
    const [first] = latest;
    return first !== undefined && latest.length === SEVERAL && at - first < WITHIN_MS;
  }

  function endTurn(): void {
    isOpen = false;
    // Each in a step of its own, after which what it left to be done at once is done, so that its time is seen.
    const some = Math.min(waiting.length - next, MOST_IN_A_TURN);
    for (let number = 0; number < some; number += 1) setImmediate(goOn);
  }

  function goOn(): void {
    const first = waiting[next];
    const at = clock();
    if (first === undefined || isOver(at)) return;
    // What is done would hold its request in memory, and is not moved each time.
    waiting[next] = undefined;
    next += 1;
    if (next === waiting.length || next >= MOST_DONE_HELD) {
      waiting = waiting.slice(next);
      next = 0;
    }
    sendAll();
    first.work(at - first.since);
  }

  function sendAll(): void {
    const ready = answers;
    answers = [];
    for (const answer of ready) answer();
  }

  return {
    send(answer) {
      if (answers.push(answer) === 1) setImmediate(sendAll);
    },
    connected() {
      latest = [...latest, clock()].slice(-SEVERAL);
    },
    take(work) {
      const at = clock();
      // What only waits opens no turn: it would be over before what waits longer is begun.
      if (waiting.length > 0 || isOver(at)) waiting.push({ work, since: at });
      else work(0);
    },
  };
}
