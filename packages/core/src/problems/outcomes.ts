import type { Outcome, RetryAdvice } from "../errors/problem.ts";
import { type ProblemCode, problemCodes } from "./codes.ts";

/** What a problem can say of the insurer and of what to do next. */
export interface Advice {
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
}

/** What a code can say, of a call that can change something at the insurer, and of any other. */
interface Advices {
  readonly submission: readonly Advice[];
  readonly other: readonly Advice[];
}

const advice = (outcome: Outcome, retry: RetryAdvice): Advice => ({ outcome, retry });

const ofEither = (...advices: readonly Advice[]): Advices => ({
  submission: advices,
  other: advices,
});

/** The codes that say more than one thing, or another thing of a submission (`docs/errors.md`). */
const particular: Partial<Readonly<Record<ProblemCode, Advices>>> = {
  DUPLICATE_APPLICATION: {
    submission: [advice("rejected", "never"), advice("not_sent", "after_check")],
    other: [advice("rejected", "never")],
  },
  INTERNAL_ERROR: {
    submission: [advice("not_sent", "safe")],
    other: [advice("not_sent", "safe"), advice("unknown", "safe")],
  },
  PROVIDER_BAD_RESPONSE: {
    submission: [advice("executed", "never")],
    other: [advice("unknown", "safe")],
  },
  PROVIDER_UNREACHABLE: {
    submission: [advice("not_sent", "safe")],
    other: [advice("not_sent", "safe"), advice("unknown", "safe")],
  },
  PROVIDER_UNAVAILABLE: ofEither(advice("not_sent", "safe"), advice("rejected", "safe")),
  PROVIDER_TIMEOUT: {
    submission: [],
    other: [advice("unknown", "safe"), advice("not_sent", "safe")],
  },
  OUTCOME_UNKNOWN: { submission: [advice("unknown", "same_key")], other: [] },
  SUBMISSION_IN_PROGRESS: { submission: [advice("unknown", "same_key")], other: [] },
};

/**
 * Everything that a problem of a code can say.
 * @param actsAtInsurer - whether the call can change something at the insurer
 */
export function advicesOf(code: ProblemCode, actsAtInsurer: boolean): readonly Advice[] {
  const { outcome, retry } = problemCodes[code];
  const { other, submission } = particular[code] ?? ofEither(advice(outcome, retry));
  return actsAtInsurer ? submission : other;
}
