import type { Endpoint } from "@insurance-gateway/core/contract";
import type { Difference, ObservedEndpoint } from "../../events.ts";
import type { Time } from "../../time.ts";
import { createCompareAnswer, type ReceivedAnswer, unreadable } from "./compare-answer.ts";

/** Looks for differences between insurers' answers and their declarations. */
export type DriftWatch = ReturnType<typeof startDriftWatch>;

/** The parts of the watch. */
export interface DriftWatchParts {
  /** Returns the percentage of usable answers to compare, as set now; every unusable answer is compared. */
  readonly samplePercent: () => number;
  readonly time: Pick<Time, "every">;
  /** Called with each difference of each compared answer. */
  readonly differs: (observed: ObservedEndpoint, difference: Difference) => void;
}

interface Waiting {
  readonly observed: ObservedEndpoint;
  readonly endpoint: Endpoint;
  readonly answer: ReceivedAnswer;
}

/** Maximum of waiting answers; each may be as large as `answers.jsonBytes`. */
const MOST_WAITING = 64;
/** Interval of the comparisons; by then an answer has been sent, unless its caller reads slowly. */
const COMPARE_EVERY_MS = 250;
/** How long the comparison may block the event loop at a time, in milliseconds. */
const LONGEST_TURN_MS = 5;

/** Starts the watch. */
export function startDriftWatch({ differs, samplePercent, time }: DriftWatchParts) {
  const compare = createCompareAnswer();
  const waiting: Waiting[] = [];
  const compareNext = ({ answer, endpoint, observed }: Waiting): void => {
    for (const difference of compare(endpoint, answer)) differs(observed, difference);
  };
  const compareSome = async (): Promise<void> => {
    const end = performance.now() + LONGEST_TURN_MS;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      compareNext(next);
      if (performance.now() > end) return;
    }
  };
  const stopComparing = time.every(COMPARE_EVERY_MS, compareSome);
  return {
    /** Notes an answer and returns at once; nothing is compared before the answer has been sent. */
    received(observed: ObservedEndpoint, endpoint: Endpoint, answer: ReceivedAnswer): void {
      if (!answer.isBroken && Math.random() * 100 >= samplePercent()) return;
      if (waiting.length < MOST_WAITING) waiting.push({ observed, endpoint, answer });
      // There is no time to find the differences; reporting that the answer is broken takes none.
      else if (answer.isBroken) differs(observed, unreadable);
    },
    /** Stops, and compares the waiting answers. */
    async stop(): Promise<void> {
      await stopComparing();
      for (const next of waiting.splice(0)) compareNext(next);
    },
  };
}
