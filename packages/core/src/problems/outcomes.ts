import type { Outcome, RetryAdvice } from "../errors/problem.ts";
import { beforeTheRecord } from "./before-the-record.ts";
import { type ProblemCode, problemCodes } from "./codes.ts";

/** The outcome and the retry advice of a problem. */
export interface Advice {
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
}

/** The possible outcomes of a code, for calls that can change something at the insurer and for other calls. */
interface Advices {
  readonly submission: readonly Advice[];
  readonly other: readonly Advice[];
}

const advice = (outcome: Outcome, retry: RetryAdvice): Advice => ({ outcome, retry });

/** The codes with more than one possible outcome, or with a different one for submissions (`docs/errors.md`). */
const particular: Partial<Readonly<Record<ProblemCode, Advices>>> = {
  DUPLICATE_APPLICATION: {
    submission: [advice("rejected", "never"), advice("not_sent", "after_check")],
    other: [advice("rejected", "never")],
  },
  IDEMPOTENCY_KEY_REUSED: {
    submission: [advice("not_sent", "never"), advice("unknown", "never")],
    other: [advice("not_sent", "never")],
  },
  INVALID_INPUT: {
    submission: [advice("rejected", "never"), advice("not_sent", "never")],
    other: [advice("rejected", "never"), advice("not_sent", "never")],
  },
  NOT_ACCEPTABLE: {
    submission: [advice("not_sent", "never")],
    other: [advice("not_sent", "never"), advice("rejected", "never")],
  },
  INTERNAL_ERROR: {
    submission: [
      advice("not_sent", "safe"),
      advice("unknown", "same_key"),
      advice("unknown", "after_check"),
    ],
    other: [advice("not_sent", "safe"), advice("unknown", "safe")],
  },
  STORE_UNAVAILABLE: {
    submission: [advice("not_sent", "safe"), advice("unknown", "after_check")],
    other: [advice("not_sent", "safe")],
  },
  OVERLOADED: {
    submission: [advice("not_sent", "safe")],
    other: [advice("not_sent", "safe"), advice("unknown", "safe")],
  },
  PROVIDER_AUTH_FAILED: {
    submission: [advice("not_sent", "safe"), advice("rejected", "safe")],
    other: [advice("rejected", "never"), advice("not_sent", "safe")],
  },
  PROVIDER_BAD_RESPONSE: {
    submission: [advice("executed", "never")],
    other: [advice("unknown", "safe")],
  },
  PROVIDER_UNREACHABLE: {
    submission: [advice("not_sent", "safe")],
    other: [advice("not_sent", "safe"), advice("unknown", "safe")],
  },
  PROVIDER_UNAVAILABLE: {
    submission: [
      advice("not_sent", "safe"),
      advice("rejected", "safe"),
      advice("not_sent", "never"),
    ],
    other: [advice("not_sent", "safe"), advice("rejected", "safe"), advice("not_sent", "never")],
  },
  PROVIDER_TIMEOUT: {
    submission: [],
    other: [advice("unknown", "safe"), advice("not_sent", "safe")],
  },
  OUTCOME_UNKNOWN: {
    submission: [advice("unknown", "same_key"), advice("unknown", "after_check")],
    other: [],
  },
  SUBMISSION_IN_PROGRESS: {
    submission: [
      advice("unknown", "same_key"),
      advice("unknown", "after_check"),
      advice("not_sent", "safe"),
    ],
    other: [],
  },
};

/**
 * Returns every outcome and advice that a problem with a code can have.
 * @param actsAtInsurer - whether the call can change something at the insurer
 */
export function advicesOf(code: ProblemCode, actsAtInsurer: boolean): readonly Advice[] {
  const { outcome, retry } = problemCodes[code];
  const own = advice(outcome, retry);
  const { other, submission } = particular[code] ?? { other: [own], submission: [own] };
  if (!actsAtInsurer) return other;
  if (!beforeTheRecord.includes(code)) return submission;
  return [...submission, advice("unknown", retry === "safe" ? "same_key" : "never")];
}
