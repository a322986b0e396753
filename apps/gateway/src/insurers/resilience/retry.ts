import { setTimeout } from "node:timers/promises";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { kindPolicies, Refusal } from "@insurance-gateway/core/runtime";
import type { AccountCall, Step, TimedCall, UpstreamCall } from "../call.ts";
import type { Retries } from "./retries.ts";

/**
 * Repeats failed calls that change nothing at the insurer, all within one time limit. A submission has one attempt,
 * whatever its result: after a byte may have been sent, only the insurer knows the outcome (RFC 9110, section 9.2.2).
 * After a 401, each call is repeated once with new credentials; a submission only if the insurer has proved that it did
 * nothing.
 */
export const retryCalls: Step<AccountCall, TimedCall> = (next) => async (endpoint, call) => {
  let { opened } = call;
  const { insurer, retries } = opened;
  const { submissionMs, totalMs } = insurer.timeouts;
  const { actsAtInsurer } = kindPolicies[endpoint.kind];
  const deadline = performance.now() + (actsAtInsurer ? submissionMs : totalMs);
  const leftMs = (): number => deadline - performance.now();
  let failure: Refusal | undefined;
  let hasReplaced = false;
  for (let number = 1; ; ) {
    try {
      const answer = await next(endpoint, { ...call, opened, leftMs });
      if (number === 1) retries.called();
      return answer;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // If a later attempt is refused before it is sent, the call fails with the previous attempt's error, which has
      // more facts.
      if (error.details.attempt === undefined) throw failure ?? error;
      if (!hasReplaced && mayRepeatWithNewCredentials(endpoint, error) && !isCallerGone(call)) {
        hasReplaced = true;
        opened = opened.newest();
        continue;
      }
      if (number === 1) retries.called();
      failure = error;
      const isOnce = actsAtInsurer || call.once !== undefined;
      const wait = isOnce ? null : retryWaitMs(error, number, retries, leftMs());
      if (wait === null || isCallerGone(call)) throw error;
      await setTimeout(wait);
      if (isCallerGone(call)) throw error;
      number += 1;
    }
  }
};

function isCallerGone({ callerGone }: UpstreamCall): boolean {
  return callerGone?.aborted === true;
}

/**
 * Reports whether a call may be repeated with new credentials: after a 401, except a submission that may have acted.
 */
function mayRepeatWithNewCredentials({ kind }: Endpoint, { code, details }: Refusal): boolean {
  const mayHaveActed = kindPolicies[kind].actsAtInsurer && code === "OUTCOME_UNKNOWN";
  return details.credentialsReplaced === true && !mayHaveActed;
}

/** Returns the wait before a retry in milliseconds; null after a rejection, which a retry would only repeat. */
function retryWaitMs(
  { details }: Refusal,
  number: number,
  retries: Retries,
  leftMs: number,
): number | null {
  const { attempt, retryAfterSeconds = null } = details;
  const worthIt = attempt === "failed" || retryAfterSeconds !== null;
  return worthIt ? retries.next(number, retryAfterSeconds, leftMs) : null;
}
