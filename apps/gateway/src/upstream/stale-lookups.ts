import { declared } from "@insurance-gateway/core/adapter";
import { type Endpoint, kindPolicies } from "@insurance-gateway/core/contract";
import type { Observation, ObservedEndpoint } from "../observation/observation.ts";
import { Refusal } from "../problems/refusal.ts";
import type { StaleAnswers } from "../resilience/stale-answers.ts";
import type { UpstreamAnswer } from "./answer.ts";
import type { UpstreamCall } from "./attempt.ts";
import type { RepeatedCall } from "./repeated-call.ts";

/** Lets the last good answer of a lookup stand in for one that cannot be had, and marks it. */
export function servingStale(
  repeated: RepeatedCall,
  answers: StaleAnswers<UpstreamAnswer>,
  observation: Observation,
  observed: (endpoint: Endpoint) => ObservedEndpoint,
): RepeatedCall {
  return async (endpoint, call) => {
    // A scenario that was asked for is not what the insurer says.
    if (!kindPolicies[endpoint.kind].servedStale || call.scenario !== undefined)
      return repeated(endpoint, call);
    const key = keyOf(endpoint, call);
    try {
      const answer = await repeated(endpoint, call);
      const { content } = answer;
      if (typeof content === "string") answers.keep(key, answer, content.length);
      return answer;
    } catch (error) {
      if (!insurerFails(error)) throw error;
      const found = answers.find(key);
      if (found === null) throw error;
      observation.answeredStale(observed(endpoint));
      return marked(found.answer, found.ageSeconds, error.details.reason ?? "insurer_failed");
    }
  };
}

/** Lookups have no parameter that is a customer's, so that the path they are asked with can name them. */
function keyOf(endpoint: Endpoint, { input }: UpstreamCall): string {
  return declared.request(endpoint, input, null).path;
}

/** Credentials that the insurer refuses are the operator's to mend, and old answers would hide them. */
function insurerFails(error: unknown): error is Refusal {
  return (
    error instanceof Refusal &&
    error.facts.status >= 500 &&
    error.code !== "INTERNAL_ERROR" &&
    error.code !== "PROVIDER_AUTH_FAILED"
  );
}

/** Says that it is old and how old: Age (RFC 9111, section 5.1) and Cache-Status (RFC 9211), where it has no freshness left. */
function marked(answer: UpstreamAnswer, ageSeconds: number, reason: string): UpstreamAnswer {
  return {
    ...answer,
    headers: {
      ...answer.headers,
      age: String(ageSeconds),
      "cache-control": "no-store",
      "cache-status": `insurance-gateway; hit; ttl=-${ageSeconds}; detail=${reason}`,
    },
  };
}
