import { type GateParts, gateSubmissions } from "./account/gate.ts";
import { type UseAccountParts, useAccount } from "./account/open-account.ts";
import { type AttemptParts, makeAttempts } from "./attempt/attempt.ts";
import type { Call, Step, UpstreamCall } from "./call.ts";
import { type CacheParts, cacheLookups } from "./lookups/cache.ts";
import { type GuardParts, guardInsurer } from "./resilience/guard-insurer.ts";
import { retryCalls } from "./resilience/retry.ts";

/** Arguments of `createInsurerCall`: the arguments of all its steps. */
export type StepsParts = AttemptParts & CacheParts & GateParts & GuardParts & UseAccountParts;

/** Creates the steps of a call to one insurer, in the order in which they run. Each step is one file and one line. */
export function createInsurerCall(parts: StepsParts): Call {
  return (
    emptyChain<UpstreamCall>()
      // Cache: answers a lookup from memory, or lets several callers share one call; serves a stale answer if the
      // insurer fails.
      .add(cacheLookups(parts))
      // Account: opens the account of the call, and keeps it open during the call.
      .add(useAccount(parts))
      // Gate: stops a submission while the insurer refuses the account's credentials.
      .add(gateSubmissions(parts))
      // Retry: repeats a failed call that changes nothing, and after a 401 any call once with new credentials.
      .add(retryCalls)
      // Guard: refuses all calls while the insurer fails, and submissions during its maintenance; limits simultaneous
      // calls.
      .add(guardInsurer(parts))
      // Attempt: sends the adapter's requests, and determines the outcome from the answers.
      .end(makeAttempts(parts))
  );
}

/** A list of steps in the order in which they run. */
interface StepChain<First, Last> {
  add<Given>(step: Step<Last, Given>): StepChain<First, Given>;
  /** Adds the last step, which makes the call. */
  end(last: Call<Last>): Call<First>;
}

function emptyChain<First>(): StepChain<First, First> {
  return chainOf((last) => last);
}

function chainOf<First, Last>(before: Step<First, Last>): StepChain<First, Last> {
  return {
    add: (step) => chainOf((next) => before(step(next))),
    end: before,
  };
}
