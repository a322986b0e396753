import type { Endpoint } from "@insurance-gateway/core/contract";
import type { Difference, ObservedEndpoint } from "../../events.ts";
import type { Time } from "../../time.ts";
import { createCompareAnswer, type ReceivedAnswer, unreadable } from "./compare-answer.ts";

/** Looks for differences between insurers' answers and their declarations. */
export type DriftWatch = ReturnType<typeof startDriftWatch>;

/** The parts of the watch. */
export interface DriftWatchParts {
  /** How many of a hundred usable answers are compared, as it is set now; every other answer is. */
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

/** How many answers wait at most: each may be as large as `answers.jsonBytes`. */
const MOST_WAITING = 64;
/** An answer has been sent by then, unless its caller reads slowly. */
const COMPARE_EVERY_MS = 250;
/** How long the comparison may block the event loop at a time. */
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
    /** Takes note of an answer; it returns at once, and nothing is compared before the answer has been sent. */
    received(observed: ObservedEndpoint, endpoint: Endpoint, answer: ReceivedAnswer): void {
      if (!answer.isBroken && Math.random() * 100 >= samplePercent()) return;
      if (waiting.length < MOST_WAITING) waiting.push({ observed, endpoint, answer });
      // Finding the differences takes time that is not available; reporting that the answer is broken takes none.
      else if (answer.isBroken) differs(observed, unreadable);
    },
    /** Compares what waits. */
    async stop(): Promise<void> {
      await stopComparing();
      for (const next of waiting.splice(0)) compareNext(next);
    },
  };
}
