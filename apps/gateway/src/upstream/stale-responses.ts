import {
  type Endpoint,
  encodeQuery,
  fillPath,
  kindPolicies,
} from "@insurance-gateway/core/contract";
import { LRUCache } from "lru-cache";
import type { Observation, ObservedEndpoint } from "../observation/observation.ts";
import { Refusal } from "../problems/refusal.ts";
import type { UpstreamAnswer } from "./answer.ts";
import type { UpstreamCall } from "./attempt.ts";
import type { RepeatedCall } from "./repeated-call.ts";

/**
 * Serves the last good answer of a lookup when the insurer fails, or the gateway cannot ask it or has no room for its answer,
 * and marks it as stale (RFC 5861, section 4).
 */
export function servingStale(
  repeated: RepeatedCall,
  responses: StaleResponses,
  observation: Observation,
  observed: (endpoint: Endpoint) => ObservedEndpoint,
): RepeatedCall {
  return async (endpoint, call) => {
    // A scenario that was asked for is not what the insurer says; a call of the gateway's own asks how the insurer is.
    const isCallers = call.scenario === undefined && call.once === undefined;
    if (!kindPolicies[endpoint.kind].servedStale || !isCallers) return repeated(endpoint, call);
    const key = keyOf(endpoint, call);
    try {
      const answer = await repeated(endpoint, call);
      const { content } = answer;
      if (typeof content === "string") responses.keep(key, answer, content.length);
      return answer;
    } catch (error) {
      if (!isServerError(error)) throw error;
      const found = responses.find(key);
      if (found === null) throw error;
      observation.answeredStale(observed(endpoint));
      return marked(found.answer, found.ageSeconds, error.details.reason ?? "insurer_failed");
    }
  };
}

/** Lookups have no parameter that is a customer's, so that what they are asked with can name them; connections share them. */
function keyOf(endpoint: Endpoint, { connection, input }: UpstreamCall): string {
  const target = fillPath(endpoint.path, input.params) + encodeQuery(input.query, endpoint.query);
  const owner = endpoint.perConnection === true ? connection : null;
  return `${target} ${JSON.stringify([input.headers, input.accept, owner])}`;
}

/** The operator must correct credentials that the insurer refuses; stale responses would hide them. */
function isServerError(error: unknown): error is Refusal {
  return (
    error instanceof Refusal &&
    error.facts.status >= 500 &&
    error.code !== "INTERNAL_ERROR" &&
    error.code !== "PROVIDER_AUTH_FAILED"
  );
}

/** Says that it is stale and how old it is: Age (RFC 9111, section 5.1) and Cache-Status (RFC 9211), where it has no freshness left. */
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

/** The last good answers of lookups, which are the same for all callers unless they are declared `perConnection`. */
export interface StaleResponses {
  /** @param characters - how long the answer is */
  keep(key: string, answer: UpstreamAnswer, characters: number): void;
  /** The answer and its age in whole seconds; null when there is none that is young enough. */
  find(key: string): { readonly answer: UpstreamAnswer; readonly ageSeconds: number } | null;
}

/** All answers of one insurer together may have this many bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

/** What an answer takes beside its text: its headers, and its place here. */
const BYTES_BESIDE = 2_048;

/**
 * Makes one that is empty.
 * @param staleHours - how old a response may be, as it is set now; with 0 nothing is stored or found
 */
export function createStaleResponses(staleHours: () => number, now: () => number): StaleResponses {
  const kept = new LRUCache<string, { readonly answer: UpstreamAnswer; readonly at: number }>({
    maxSize: MOST_BYTES,
  });
  const longestMs = (): number => staleHours() * 3_600_000;
  return {
    keep(key, answer, characters) {
      const size = BYTES_BESIDE + 2 * (key.length + characters);
      if (longestMs() > 0) kept.set(key, { answer, at: now() }, { size });
    },
    find(key) {
      const found = kept.get(key);
      const isUsable = longestMs() > 0 && found !== undefined && now() - found.at <= longestMs();
      if (!isUsable) return null;
      const ageSeconds = Math.floor((now() - found.at) / 1_000);
      return { answer: found.answer, ageSeconds };
    },
  };
}
