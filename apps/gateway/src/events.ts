import type { FetchResult } from "@insurance-gateway/core/auth";
import type { AttemptResult, EndpointKind } from "@insurance-gateway/core/runtime";

/** The facts of a declared endpoint that the operator's tools may see. */
export interface ObservedEndpoint {
  /** The provider's path segment. */
  readonly segment: string;
  /** The endpoint's name in its provider: `createApplication`. */
  readonly endpoint: string;
  readonly kind: EndpointKind;
}

/** An account to a provider. */
export interface ObservedAccount {
  /** The account's id. */
  readonly account: string;
  /** The provider's path segment. */
  readonly segment: string;
}

/** A request that was answered, or whose caller disconnected. */
export interface ObservedRequest {
  /** Null for the gateway's own routes, and where no route was found. */
  readonly endpoint: ObservedEndpoint | null;
  /** The id of the account of an accepted call; null for a refused one. */
  readonly account: string | null;
  readonly status: number;
  /** The problem's code and outcome; null for a success. */
  readonly code: string | null;
  readonly outcome: string | null;
  readonly callerGone: boolean;
  readonly durationMs: number;
  /** The part of this time that was spent waiting for insurers, with queues and waits between attempts. */
  readonly insurerMs: number;
  /** How long the gateway itself took, without the time in which the caller sent or read. */
  readonly ownMs: number;
}

/** One request to an insurer. */
export interface ObservedAttempt extends ObservedEndpoint {
  readonly result: AttemptResult;
  readonly durationMs: number;
}

/** An insurer's answer that no row of `failures` matches: what of it may be shown. */
export interface UnmatchedAnswer {
  readonly status: number;
  /** Without parameters, in lower case. */
  readonly mediaType: string;
  /** The insurer's code, where a row says where it has one and it has the form of one; null otherwise. */
  readonly code: string | null;
  /** Where it was, as a JSON Pointer. */
  readonly at: string | null;
}

/** How an insurer's answer differs from its declaration. */
export type DifferenceKind = "missing" | "added" | "type" | "enum" | "null" | "format";

/** One difference between an insurer's answer and what it should be; it has a JSON Pointer, never a value. */
export interface Difference {
  /** JSON Pointer into what the insurer sent; `*` replaces items of lists, keys of maps and names that may be personal. */
  readonly pointer: string;
  readonly kind: DifferenceKind;
  /** Whether the gateway cannot use an answer with this difference. */
  readonly breaking: boolean;
}

/** Quota types: accepted calls, or new submissions. */
export type QuotaName = "requests" | "submissions";

/** Why a call was not sent to an insurer that could have been. */
export type HeldBack = "breaker" | "bulkhead" | "maintenance";

/** Events of the gateway, reported to the operator's tools as they happen. They contain no data of callers or customers. */
export interface Observation {
  readonly requestEnded: (request: ObservedRequest) => void;
  readonly attemptEnded: (attempt: ObservedAttempt) => void;
  /** A call was answered with PROVIDER_UNAVAILABLE or a stale response, and nothing was sent. */
  readonly heldBack: (endpoint: ObservedEndpoint, by: HeldBack) => void;
  /** A call was refused because the process had no room for the insurer's answer. */
  readonly answerRefused: (endpoint: ObservedEndpoint) => void;
  /** A lookup was answered with a stale response, because the insurer fails. */
  readonly answeredStale: (endpoint: ObservedEndpoint) => void;
  /** An insurer sent bytes that no request asked for; their connection was closed. */
  readonly bytesUnasked: (place: Pick<ObservedEndpoint, "segment">) => void;
  /** An answer to a submission or a search differed from its call in this field, a JSON Pointer. */
  readonly answerMismatched: (endpoint: ObservedEndpoint, field: string) => void;
  /** An insurer refused a call with an answer that no row of `failures` matches. */
  readonly answerUnmatched: (endpoint: ObservedEndpoint, answer: UnmatchedAnswer) => void;
  /** An insurer's answer to a call differs from the declaration. */
  readonly drifted: (endpoint: ObservedEndpoint, difference: Difference) => void;
  /** A token for an insurer was fetched, or could not be. */
  readonly tokenFetched: (endpoint: Pick<ObservedEndpoint, "segment">, result: FetchResult) => void;
  /** A call was answered with RATE_LIMITED. */
  readonly rateLimited: (endpoint: ObservedEndpoint) => void;
  /** A call was refused because its account's quota is used up. */
  readonly quotaReached: (place: ObservedAccount, quota: QuotaName) => void;
  /** A token was refused, for this one of a fixed set of reasons. */
  readonly tokenRefused: (reason: string) => void;
  /** A fetch of the keys of this configured issuer failed. */
  readonly issuerKeysFailed: (issuer: string) => void;
  /** The key set of this configured issuer has a key that is not used, for this one of a fixed set of reasons. */
  readonly issuerKeyRefused: (issuer: string, reason: string) => void;
  /** A caller exceeded the usual number of different searches in an hour, with a search at this endpoint. */
  readonly searchedWidely: (endpoint: Pick<ObservedEndpoint, "segment">) => void;
  /** An insurer answers again; with an account, the insurer takes its credentials again. */
  readonly insurerRecovered: (segment: string, account: string | null) => void;
  /** An account of the store has other credentials or settings, or was removed. */
  readonly accountChanged: (segment: string, account: string) => void;
  /** The configuration was read again. */
  readonly reloaded: (result: "applied" | "unchanged" | "refused") => void;
  /** A request for the administration of accounts had a wrong token. */
  readonly administrationGuessed: () => void;
  /** A request was answered with OVERLOADED. */
  readonly shed: () => void;
}

/** The state of one insurer's breaker: `open` calls fail at once, `half_open` one call tries. */
export type BreakerState = "closed" | "open" | "half_open";

/** The current traffic of an insurer. */
export interface ProviderTraffic {
  readonly segment: string;
  readonly provider: string;
  /** Whether the insurer is the package's simulated insurer. */
  readonly sandbox: boolean;
  readonly breaker: BreakerState;
  readonly running: number;
  readonly queued: number;
  /** Calls that wait for a token to show the insurer. */
  readonly awaitingToken: number;
  /** The age of the oldest token that is sent to the insurer, in milliseconds; null without tokens. */
  readonly tokenAgeMs: number | null;
  /** The ids of the accounts whose credentials the insurer, or its token server, refuses now. */
  readonly refusedAccounts: readonly string[];
}

/** Every event, so that none is forgotten where all are handled alike. */
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

/** The events of one gateway: parts report them, and observers receive them. */
export interface Events extends Observation {
  /** Tells an observer the events that happen from now on, after the observers before it. */
  observe(observer: Partial<Observation>): void;
}

/** Creates the events of a gateway. Each observer receives the events that it has a function for. */
export function createEvents(...first: readonly Partial<Observation>[]): Events {
  const observers = [...first];
  const tellAll =
    (event: keyof Observation) =>
    (...facts: readonly unknown[]): void => {
      for (const observer of observers) Reflect.apply(observer[event] ?? nothing, observer, facts);
    };
  // Each function passes on the facts of its own event.
  const told = Object.fromEntries(
    Object.keys(events).map((event) => [event, tellAll(event as keyof Observation)]),
  ) as unknown as Observation;
  return { ...told, observe: (observer) => void observers.push(observer) };
}

function nothing(): void {}

/** Observes nothing: for a command, whose metrics nobody could read. */
export const unobserved: Observation = createEvents();
