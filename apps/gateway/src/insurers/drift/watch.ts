import type { Endpoint } from "@insurance-gateway/core/contract";
import type { Difference, ObservedEndpoint } from "../../events.ts";
import type { Time } from "../../time.ts";
import {
  createCompareAnswer,
  type ReceivedAnswer,
  unreadableDifference,
} from "./compare-answer.ts";

/** Compares insurers' answers with their declarations while the gateway runs. */
export type DriftWatch = ReturnType<typeof startDriftWatch>;

/** Arguments of `startDriftWatch`. */
export interface DriftWatchParts {
  /** Returns the configured percentage of usable answers to compare; every unusable answer is compared. */
  readonly samplePercent: () => number;
  readonly time: Pick<Time, "every">;
  /** Called with each difference that a comparison finds. */
  readonly differs: (observed: ObservedEndpoint, difference: Difference) => void;
}

interface WaitingAnswer {
  readonly observed: ObservedEndpoint;
  readonly endpoint: Endpoint;
  readonly answer: ReceivedAnswer;
}

/** Maximum number of answers that wait to be compared; each may be as large as `answers.jsonBytes`. */
const MAX_WAITING_ANSWERS = 64;
/** Interval of the comparisons, in milliseconds. It is longer than the sending of an answer usually takes. */
const COMPARE_EVERY_MS = 250;
/** Maximum time for which the comparison blocks the event loop at once, in milliseconds. */
const MAX_BLOCKING_MS = 5;

/** Starts the drift watch. */
export function startDriftWatch({ differs, samplePercent, time }: DriftWatchParts) {
  const compare = createCompareAnswer();
  const waiting: WaitingAnswer[] = [];
  const compareNext = ({ answer, endpoint, observed }: WaitingAnswer): void => {
    for (const difference of compare(endpoint, answer)) differs(observed, difference);
  };
  const compareSome = async (): Promise<void> => {
    const end = performance.now() + MAX_BLOCKING_MS;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      compareNext(next);
      if (performance.now() > end) return;
    }
  };
  const stopComparing = time.every(COMPARE_EVERY_MS, compareSome);
  return {
    /** Keeps an answer for the next comparison, which begins after the answer has probably been sent. */
    received(observed: ObservedEndpoint, endpoint: Endpoint, answer: ReceivedAnswer): void {
      if (!answer.isBroken && Math.random() * 100 >= samplePercent()) return;
      if (waiting.length < MAX_WAITING_ANSWERS) waiting.push({ observed, endpoint, answer });
      // The queue is full: the gateway cannot look for differences, but reports that the answer is broken.
      else if (answer.isBroken) differs(observed, unreadableDifference);
    },
    /** Stops the drift watch after a comparison of the waiting answers. */
    async stop(): Promise<void> {
      await stopComparing();
      for (const next of waiting.splice(0)) compareNext(next);
    },
  };
}
