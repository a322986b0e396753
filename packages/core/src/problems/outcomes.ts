import type { Outcome, RetryAdvice } from "../errors/problem.ts";
import { beforeTheRecord, type ProblemCall, problemCodes } from "./codes.ts";
import type { ProblemCode } from "./problem-code.ts";

/** The outcome and the retry advice of a problem. */
export interface Advice {
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
}

/** A meaning of a code that differs from the usual meaning in `problemCodes`. */
export interface RareMeaning extends Advice {
  readonly codes: readonly ProblemCode[];
  readonly call: ProblemCall;
  /** The condition for this meaning, in Markdown. */
  readonly when: string;
}

const NOT_COMPARED =
  "the request is valid and has no key, and the gateway could not look for an earlier submission with the same content. It did not send this request: find out at the insurer whether an earlier one was carried out. There is no `Retry-After`";

/** All meanings of codes besides the usual ones. The error pages and `docs/errors.md` are generated from this list. */
export const rareMeanings: readonly RareMeaning[] = [
  {
    codes: ["INVALID_INPUT"],
    call: "any",
    outcome: "not_sent",
    retry: "never",
    when: "the insurer's format cannot represent the value, so the gateway sent nothing",
  },
  {
    codes: ["NOT_ACCEPTABLE"],
    call: "other",
    outcome: "rejected",
    retry: "never",
    when: "the insurer answered in a media type that the request does not accept",
  },
  {
    codes: ["IDEMPOTENCY_KEY_REUSED"],
    call: "submission",
    outcome: "unknown",
    retry: "never",
    when: "you sent this submission before, to another segment of the provider or through another account. The gateway did not send this request: ask there what became of the earlier one",
  },
  {
    codes: ["DUPLICATE_APPLICATION"],
    call: "submission",
    outcome: "not_sent",
    retry: "after_check",
    when: "you sent the same application with another key, and that one is running or its outcome is unknown, so the gateway refuses this one. `Location` and `reconciliation.href` are the address of the first",
  },
  {
    codes: ["SUBMISSION_IN_PROGRESS", "OUTCOME_UNKNOWN"],
    call: "submission",
    outcome: "unknown",
    retry: "after_check",
    when: "the request has no key: ask at `reconciliation.href`. There is no `Retry-After`, and the gateway does not send an identical request again",
  },
  {
    codes: beforeTheRecord.filter((code) => problemCodes[code].retry === "never"),
    call: "submission",
    outcome: "unknown",
    retry: "never",
    when: "the request has a key, and the gateway could not read the key's record. It did not send this request, but may have sent an earlier one with the key: correct the request, and keep the key",
  },
  {
    codes: [
      ...beforeTheRecord.filter((code) => problemCodes[code].retry === "safe"),
      "INTERNAL_ERROR",
    ],
    call: "submission",
    outcome: "unknown",
    retry: "same_key",
    when: "the request has a key, and the gateway could not read the key's record. It did not send this request, but may have sent an earlier one with the key",
  },
  {
    codes: ["INTERNAL_ERROR"],
    call: "submission",
    outcome: "unknown",
    retry: "after_check",
    when: NOT_COMPARED,
  },
  {
    codes: ["STORE_UNAVAILABLE"],
    call: "submission",
    outcome: "unknown",
    retry: "after_check",
    when: `${NOT_COMPARED}. The same if the gateway's store was restored from a backup, which may have lost the submission`,
  },
  {
    codes: ["INTERNAL_ERROR"],
    call: "other",
    outcome: "unknown",
    retry: "safe",
    when: "the request may have left the gateway, or the stored answer of the submission that you ask for cannot be read",
  },
  {
    codes: ["OVERLOADED"],
    call: "other",
    outcome: "unknown",
    retry: "safe",
    when: "the insurer answered, and the gateway had no memory left for the answer. The call changes nothing: try again after `Retry-After`",
  },
  {
    codes: ["PROVIDER_BAD_RESPONSE"],
    call: "submission",
    outcome: "executed",
    retry: "never",
    when: "the insurer's answer does not match the declaration, but names what was created; or the submission was certainly carried out, and its answer is no longer stored",
  },
  {
    codes: ["PROVIDER_AUTH_FAILED"],
    call: "any",
    outcome: "not_sent",
    retry: "safe",
    when: "a proxy refused a call that changes nothing (407); the insurer's token server or login refused the gateway's secret; or the insurer refused the gateway's credentials before, and the gateway waits until they work again",
  },
  {
    codes: ["PROVIDER_AUTH_FAILED"],
    call: "submission",
    outcome: "rejected",
    retry: "safe",
    when: "the insurer refused the gateway's credentials with its own error code. The key is free",
  },
  {
    codes: ["PROVIDER_UNREACHABLE"],
    call: "other",
    outcome: "unknown",
    retry: "safe",
    when: "the connection broke after the gateway had sent the request",
  },
  {
    codes: ["PROVIDER_UNAVAILABLE"],
    call: "any",
    outcome: "rejected",
    retry: "safe",
    when: "the insurer itself answered that it accepts no calls now",
  },
  {
    codes: ["PROVIDER_UNAVAILABLE"],
    call: "any",
    outcome: "not_sent",
    retry: "never",
    when: "the account of your tenant was removed",
  },
  {
    codes: ["PROVIDER_TIMEOUT"],
    call: "other",
    outcome: "not_sent",
    retry: "safe",
    when: "no connection was made in time",
  },
];

/**
 * Returns every outcome and advice that a problem with a code can have, the usual one first.
 * @param actsAtInsurer - true if the call can change something at the insurer
 */
export function advicesOf(code: ProblemCode, actsAtInsurer: boolean): readonly Advice[] {
  const applies = ({ call }: { readonly call: ProblemCall }): boolean =>
    call === "any" || (call === "submission") === actsAtInsurer;
  const usual = problemCodes[code];
  return [usual, ...rareMeanings.filter(({ codes }) => codes.includes(code))]
    .filter(applies)
    .map(({ outcome, retry }) => ({ outcome, retry }));
}
