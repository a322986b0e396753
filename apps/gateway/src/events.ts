import type { FetchResult } from "@insurance-gateway/core/auth";
import type { AttemptResult, EndpointKind } from "@insurance-gateway/core/runtime";

/** The endpoint of an event. */
export interface ObservedEndpoint {
  /** The provider's path segment. */
  readonly segment: string;
  /** Name of the endpoint in its provider, such as `createApplication`. */
  readonly endpoint: string;
  readonly kind: EndpointKind;
}

/** The account of an event. */
export interface ObservedAccount {
  /** The account's id. */
  readonly account: string;
  /** The provider's path segment. */
  readonly segment: string;
}

/** A request that the gateway has answered, or whose caller disconnected before the answer. */
export interface ObservedRequest {
  /** The called endpoint; null for a route of the gateway itself, and for an unknown route. */
  readonly endpoint: ObservedEndpoint | null;
  /** Id of the account of an accepted call; null for a refused call. */
  readonly account: string | null;
  readonly status: number;
  /** Code and outcome of the problem; both are null for a success. */
  readonly code: string | null;
  readonly outcome: string | null;
  readonly callerGone: boolean;
  readonly durationMs: number;
  /** The part of `durationMs` in which the gateway waited for insurers, including queues and pauses before retries. */
  readonly insurerMs: number;
  /** The rest of `durationMs`, without the time in which the caller sent the request or read the answer. */
  readonly ownMs: number;
}

/** One request to an insurer. */
export interface ObservedAttempt extends ObservedEndpoint {
  readonly result: AttemptResult;
  readonly durationMs: number;
}

/** The facts that may be logged about an insurer's answer that matches no row of `failures`. */
export interface UnmatchedAnswer {
  readonly status: number;
  /** The media type of the answer, in lower case, without parameters. */
  readonly mediaType: string;
  /** The insurer's error code; null if no row of `failures` names its place, or if the code has an unusual form. */
  readonly code: string | null;
  /** The place of the error code in the answer, as a JSON Pointer. */
  readonly at: string | null;
}

/** Kinds of differences between an insurer's answer and the endpoint's declaration. */
export type DifferenceKind = "missing" | "added" | "type" | "enum" | "null" | "format";

/**
 * A difference between an insurer's answer and the endpoint's declaration. The difference contains no value of the
 * answer.
 */
export interface Difference {
  /** The place in the answer, as a JSON Pointer. `*` replaces list indexes, map keys and names that may be personal. */
  readonly pointer: string;
  readonly kind: DifferenceKind;
  /** True if the gateway cannot use an answer with this difference. */
  readonly breaking: boolean;
}

/** The two quotas of an account: accepted calls in a day, and new submissions in a day. */
export type QuotaName = "requests" | "submissions";

/** Reasons why the gateway does not send a call to the insurer. */
export type HeldBackReason = "breaker" | "bulkhead" | "maintenance";

/**
 * Functions that the gateway calls when events happen, for metrics and logs. The functions' arguments contain no data
 * of callers or customers.
 */
export interface Observation {
  readonly requestEnded: (request: ObservedRequest) => void;
  readonly attemptEnded: (attempt: ObservedAttempt) => void;
  /** The gateway did not send a call to the insurer, and answered with PROVIDER_UNAVAILABLE or a stale response. */
  readonly heldBack: (endpoint: ObservedEndpoint, by: HeldBackReason) => void;
  /** The gateway refused a call because the process had no memory for the insurer's answer. */
  readonly answerRefused: (endpoint: ObservedEndpoint) => void;
  /** The gateway answered a lookup with a stale response because the insurer fails. */
  readonly answeredStale: (endpoint: ObservedEndpoint) => void;
  /** An insurer sent bytes without a request, and the gateway closed the connection. */
  readonly bytesUnasked: (place: Pick<ObservedEndpoint, "segment">) => void;
  /** An insurer's answer and the call have different values in the field `field` (a JSON Pointer). */
  readonly answerMismatched: (endpoint: ObservedEndpoint, field: string) => void;
  /** An insurer refused a call with an answer that matches no row of `failures`. */
  readonly answerUnmatched: (endpoint: ObservedEndpoint, answer: UnmatchedAnswer) => void;
  /** An insurer's answer differs from the endpoint's declaration. */
  readonly drifted: (endpoint: ObservedEndpoint, difference: Difference) => void;
  /** The gateway requested a token from an insurer's token server. `result` tells whether the request succeeded. */
  readonly tokenFetched: (endpoint: Pick<ObservedEndpoint, "segment">, result: FetchResult) => void;
  /** The gateway answered a call with RATE_LIMITED. */
  readonly rateLimited: (endpoint: ObservedEndpoint) => void;
  /** The gateway refused a call because the quota of the call's account is used up. */
  readonly quotaReached: (place: ObservedAccount, quota: QuotaName) => void;
  /** The gateway refused a caller's token. The reason is a key of `tokenFaults`. */
  readonly tokenRefused: (reason: string) => void;
  /** The gateway could not fetch the keys of a configured issuer. */
  readonly issuerKeysFailed: (issuer: string) => void;
  /** The key set of a configured issuer contains a key that is too weak. The reason is an `RsaKeyFault`. */
  readonly issuerKeyRefused: (issuer: string, reason: string) => void;
  /** A caller exceeded the configured number of different searches in an hour, with a search at this endpoint. */
  readonly searchedWidely: (endpoint: Pick<ObservedEndpoint, "segment">) => void;
  /** An insurer answers again after failures, or, if `account` is not null, accepts the account's credentials again. */
  readonly insurerRecovered: (segment: string, account: string | null) => void;
  /** The credentials or settings of a stored account have changed, or the account was removed. */
  readonly accountChanged: (segment: string, account: string) => void;
  /** The gateway read its configuration again. */
  readonly reloaded: (result: "applied" | "unchanged" | "refused") => void;
  /** A request to administer accounts had a wrong token. */
  readonly administrationGuessed: () => void;
  /** The gateway answered a request with OVERLOADED. */
  readonly shed: () => void;
}

/** State of an insurer's circuit breaker: `open` refuses all calls at once, `half_open` sends one call as a test. */
export type BreakerState = "closed" | "open" | "half_open";

/** The current calls to an insurer. */
export interface ProviderTraffic {
  readonly segment: string;
  readonly provider: string;
  /** True if the package's simulated insurer answers the calls. */
  readonly sandbox: boolean;
  readonly breaker: BreakerState;
  readonly running: number;
  readonly queued: number;
  /** Number of calls that wait for the token that the insurer requires. */
  readonly awaitingToken: number;
  /**
   * Age of the oldest token that the gateway uses at the insurer, in milliseconds; null if the gateway uses no token.
   */
  readonly tokenAgeMs: number | null;
  /** Ids of the accounts whose credentials the insurer or its token server refuses now. */
  readonly refusedAccounts: readonly string[];
}

/** The names of all events. The type requires an entry for every event. */
const events: Readonly<Record<keyof Observation, true>> = {
  requestEnded: true,
  attemptEnded: true,
  heldBack: true,
  answerRefused: true,
  answeredStale: true,
  answerMismatched: true,
  bytesUnasked: true,
  answerUnmatched: true,
  drifted: true,
  tokenFetched: true,
  rateLimited: true,
  quotaReached: true,
  tokenRefused: true,
  issuerKeysFailed: true,
  issuerKeyRefused: true,
  searchedWidely: true,
  insurerRecovered: true,
  accountChanged: true,
  reloaded: true,
  administrationGuessed: true,
  shed: true,
};

/** The events of one gateway. The gateway's parts call these functions, which call the observers. */
export interface Events extends Observation {
  /** Adds an observer for all later events. Observers are called in the order of their addition. */
  observe(observer: Partial<Observation>): void;
}

/** Creates the events of a gateway with the first observers. An observer may lack functions for some events. */
export function createEvents(...first: readonly Partial<Observation>[]): Events {
  const observers = [...first];
  const tellAll =
    (event: keyof Observation) =>
    (...facts: readonly unknown[]): void => {
      for (const observer of observers)
        Reflect.apply(observer[event] ?? ignoreEvent, observer, facts);
    };
  // Every event gets the same function, so TypeScript cannot check the parameters of each event.
  const told = Object.fromEntries(
    Object.keys(events).map((event) => [event, tellAll(event as keyof Observation)]),
  ) as unknown as Observation;
  return { ...told, observe: (observer) => void observers.push(observer) };
}

function ignoreEvent(): void {}

/** Events without an observer, for commands, which have no metrics. */
export const unobserved: Observation = createEvents();
