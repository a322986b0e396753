import type { Endpoint } from "@insurance-gateway/core/contract";
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
import { endingWith } from "./ending-with.ts";
import { proxyStatus } from "./proxy-status.ts";

/** What keeps one insurer's failures to itself. */
export interface GuardedAttemptParts {
  readonly attempts: Attempts;
  readonly breaker: Breaker;
  readonly bulkhead: Bulkhead;
  readonly observation: Observation;
  readonly observed: (endpoint: Endpoint) => ObservedEndpoint;
}

/** Makes one attempt, unless the insurer is to be left alone or has enough to do; throws a Refusal. */
export type GuardedAttempt = (
  endpoint: Endpoint,
  call: UpstreamCall,
  /** The time that is left, in milliseconds, asked for when the attempt begins. */
  leftMs: () => number,
) => Promise<UpstreamAnswer>;

/** Makes attempts that hold a place of the bulkhead until the last byte of the answer, and tell the breaker what they came to. */
export function createGuardedAttempt(parts: GuardedAttemptParts): GuardedAttempt {
  const { attempts, breaker, bulkhead, observation, observed } = parts;
  const holdBack = (endpoint: Endpoint, by: HeldBack, retryInMs: number): Refusal => {
    observation.heldBack(observed(endpoint), by);
    return heldBack(by, retryInMs);
  };

  return async (endpoint, call, leftMs) => {
    // Before the queue: while the insurer is left alone nobody needs to wait.
    const closedForMs = breaker.closedForMs();
    if (closedForMs > 0) throw holdBack(endpoint, "breaker", closedForMs);
    const leave = await bulkhead.enter();
    if (leave === null) throw holdBack(endpoint, "bulkhead", 0);
    const admission = breaker.admit();
    if (!admission.admitted) {
      leave();
      throw holdBack(endpoint, "breaker", admission.retryInMs);
    }
    const begun = performance.now();
    const conclude = (result: AttemptResult): void => {
      admission.settle(result);
      const durationMs = performance.now() - begun;
      observation.attemptEnded({ ...observed(endpoint), result, durationMs });
    };
    try {
      const answer = await attempts.make(endpoint, call, Math.max(1, leftMs()));
      conclude("answered");
      return endingWith(answer, leave);
    } catch (error) {
      conclude(error instanceof Refusal ? (error.details.attempt ?? "cancelled") : "cancelled");
      leave();
      throw error;
    }
  };
}

const heldBackTexts: Readonly<
  Record<
    HeldBack,
    { detail: string; error: "destination_unavailable" | "connection_limit_reached" }
  >
> = {
  breaker: {
    detail: "The insurer has failed again and again and is left alone for now; nothing was sent.",
    error: "destination_unavailable",
  },
  bulkhead: {
    detail: "Too many calls of this insurer are under way; nothing was sent.",
    error: "connection_limit_reached",
  },
};

function heldBack(by: HeldBack, retryInMs: number): Refusal {
  const { detail, error } = heldBackTexts[by];
  return new Refusal("PROVIDER_UNAVAILABLE", {
    detail,
    reason: by,
    headers: {
      ...proxyStatus({ error }),
      "retry-after": String(Math.max(1, Math.ceil(retryInMs / 1_000))),
    },
  });
}
