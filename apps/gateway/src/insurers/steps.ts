import { type GateParts, gate } from "./account/gate.ts";
import { type UseAccountParts, useAccount } from "./account/open-account.ts";
import { type AttemptParts, attempt } from "./attempt/attempt.ts";
import type { Call, Step, UpstreamCall } from "./call.ts";
import { type CacheParts, cache } from "./lookups/cache.ts";
import { type GuardParts, guard } from "./resilience/guard-insurer.ts";
import { retry } from "./resilience/retry.ts";

/** The parts of the steps of one insurer. */
export type StepsParts = AttemptParts & CacheParts & GateParts & GuardParts & UseAccountParts;

/** The steps of each call to an insurer, from top to bottom. A new step is one file and one line here. */
export function callInsurer(parts: StepsParts): Call {
  return (
    steps<UpstreamCall>()
      // Cache: a lookup's answer from memory, or one call for all who wait for the same; a stale answer if the insurer fails.
      .add(cache(parts))
      // Account: it stays open while it is used.
      .add(useAccount(parts))
      // Gate: no submission while the insurer refuses the account's credentials.
      .add(gate(parts))
      // Retry: again after a failure if the call changes nothing, and once with new credentials after a 401.
      .add(retry)
      // Guard: no call while the insurer fails or maintains its service, and not too many at a time.
      .add(guard(parts))
      // Attempt: the adapter's requests, and what their answers prove.
      .end(attempt(parts))
  );
}

/** Steps in their order. */
interface Steps<First, Last> {
  add<Given>(step: Step<Last, Given>): Steps<First, Given>;
  /** Ends them with what makes the call. */
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
