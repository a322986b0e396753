import { type GateParts, gate } from "./account/gate.ts";
import { type UseAccountParts, useAccount } from "./account/open-account.ts";
import { type AttemptParts, attempt } from "./attempt/attempt.ts";
import type { Call, Step, UpstreamCall } from "./call.ts";
import { type CacheParts, cache } from "./lookups/cache.ts";
import { type GuardParts, guard } from "./resilience/guard-insurer.ts";
import { retry } from "./resilience/retry.ts";

/** The parts of the steps of one insurer. */
export type StepsParts = AttemptParts & CacheParts & GateParts & GuardParts & UseAccountParts;

/** Creates the steps of each call to an insurer, from top to bottom. A new step is one file and one line here. */
export function callInsurer(parts: StepsParts): Call {
  return (
    steps<UpstreamCall>()
      // Cache: a lookup's answer from memory, or one call for all its callers; a stale answer if the insurer fails.
      .add(cache(parts))
      // Account: it stays open during the call.
      .add(useAccount(parts))
      // Gate: no submission while the insurer refuses the account's credentials.
      .add(gate(parts))
      // Retry: repeats a failed call that changes nothing, and any call once with new credentials after a 401.
      .add(retry)
      // Guard: no call while the insurer fails, no submission in its maintenance, and a maximum of simultaneous
      // calls.
      .add(guard(parts))
      // Attempt: sends the adapter's requests, and finds what their answers prove.
      .end(attempt(parts))
  );
}

/** Steps in their order. */
interface Steps<First, Last> {
  add<Given>(step: Step<Last, Given>): Steps<First, Given>;
  /** Adds the last step, which makes the call. */
  end(last: Call<Last>): Call<First>;
}

function steps<First>(): Steps<First, First> {
  return stepsBefore((last) => last);
}

function stepsBefore<First, Last>(before: Step<First, Last>): Steps<First, Last> {
  return {
    add: (step) => stepsBefore((next) => before(step(next))),
    end: before,
  };
}
