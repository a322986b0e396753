import { type Endpoint, kindPolicies } from "@insurance-gateway/core/contract";
import type { ExchangeEnd } from "@insurance-gateway/core/transport";
import type { TimeoutsConfiguration } from "../configuration/file.ts";
import type {
  AttemptResult,
  HeldBack,
  Observation,
  ObservedEndpoint,
} from "../observation/observation.ts";
import { Refusal } from "../problems/refusal.ts";
import type { Breaker } from "../resilience/breaker.ts";
import type { Bulkhead } from "../resilience/bulkhead.ts";
import type { UpstreamAnswer } from "./answer.ts";
import type { Attempts, UpstreamCall } from "./attempt.ts";
import { heldBack } from "./held-back.ts";
import { attemptResults } from "./outcome.ts";

/** What keeps one insurer's failures to itself. */
export interface GuardedAttemptParts {
  readonly attempts: Attempts;
  readonly breaker: Breaker;
  readonly bulkhead: Bulkhead;
  readonly observation: Observation;
  readonly observed: (endpoint: Endpoint) => ObservedEndpoint;
  readonly timeouts: TimeoutsConfiguration;
}

/** Makes one attempt, unless the insurer is to be left alone or has enough to do; throws a Refusal. */
export type GuardedAttempt = (
  endpoint: Endpoint,
  call: UpstreamCall,
  /** The time that is left, in milliseconds, asked for when the attempt begins. */
  leftMs: () => number,
) => Promise<UpstreamAnswer>;

/** Whoever goes away after so large a part of the time has found the insurer too slow. */
const PATIENCE = 1 / 3;

/** Makes attempts that hold a place of the bulkhead until nothing more comes, and tell the breaker what they came to. */
export function createGuardedAttempt(parts: GuardedAttemptParts): GuardedAttempt {
  const { attempts, breaker, bulkhead, observation, observed, timeouts } = parts;
  const patienceMs = (actsAtInsurer: boolean): number =>
    (actsAtInsurer ? timeouts.submissionMs : timeouts.totalMs) * PATIENCE;
  const holdBack = (endpoint: Endpoint, by: HeldBack, retryInMs: number): Refusal => {
    observation.heldBack(observed(endpoint), by);
    return heldBack(by, retryInMs);
  };

  return async (endpoint, call, leftMs) => {
    const { actsAtInsurer } = kindPolicies[endpoint.kind];
    // Before the queue: while the insurer is left alone nobody needs to wait.
    const isProbe = call.reconciles?.probe === true;
    const closedForMs = isProbe ? 0 : breaker.closedForMs(actsAtInsurer);
    if (closedForMs > 0) throw holdBack(endpoint, "breaker", closedForMs);
    const leave = await bulkhead.enter(Math.max(0, leftMs()));
    if (leave === null) throw holdBack(endpoint, "bulkhead", 0);
    const withinMs = leftMs();
    if (withinMs <= 0) {
      leave();
      throw holdBack(endpoint, "bulkhead", 0);
    }
    const admission = isProbe ? breaker.admitProbe() : breaker.admit(actsAtInsurer);
    if (!admission.admitted) {
      leave();
      throw holdBack(endpoint, "breaker", admission.retryInMs);
    }

    const begun = performance.now();
    const conclude = (result: AttemptResult, durationMs: number): void => {
      leave();
      admission.settle(result);
      observation.attemptEnded({ ...observed(endpoint), result, durationMs });
    };
    const end = Promise.withResolvers<ExchangeEnd>();
    try {
      const answer = await attempts.make(endpoint, call, { withinMs, ended: end.resolve });
      const durationMs = performance.now() - begun;
      if (typeof answer.content === "string") conclude("answered", durationMs);
      else void end.promise.then((ended) => conclude(resultOf(ended), durationMs));
      return answer;
    } catch (error) {
      const result = error instanceof Refusal ? error.details.attempt : undefined;
      const durationMs = performance.now() - begun;
      for (const field of mismatchedIn(error))
        observation.answerMismatched(observed(endpoint), field);
      const lostPatience = result === "cancelled" && durationMs > patienceMs(actsAtInsurer);
      conclude(lostPatience ? "failed" : (result ?? "cancelled"), durationMs);
      throw error;
    }
  };
}

function mismatchedIn(error: unknown): readonly string[] {
  return (error instanceof Refusal ? error.details.mismatched : undefined) ?? [];
}

/** What a document came to: one that its reader did not take in time is not the insurer's failure. */
function resultOf({ failure, heldUp }: ExchangeEnd): AttemptResult {
  if (failure === null) return "answered";
  return heldUp ? "cancelled" : attemptResults[failure.reason];
}
