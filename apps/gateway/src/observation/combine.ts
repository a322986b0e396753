import type { Observation } from "./observation.ts";

/** Makes one observation of several, each of which gets what it observes, in their order. */
export function combine(observations: readonly Partial<Observation>[]): Observation {
  const each = (tell: (observation: Partial<Observation>) => void): void =>
    observations.forEach(tell);
  return {
    requestEnded: (request) => each((one) => one.requestEnded?.(request)),
    attemptEnded: (attempt) => each((one) => one.attemptEnded?.(attempt)),
    heldBack: (endpoint, by) => each((one) => one.heldBack?.(endpoint, by)),
    answerRefused: (endpoint) => each((one) => one.answerRefused?.(endpoint)),
    answeredStale: (endpoint) => each((one) => one.answeredStale?.(endpoint)),
    answerMismatched: (endpoint, field) => each((one) => one.answerMismatched?.(endpoint, field)),
    answerUnmatched: (endpoint, answer) => each((one) => one.answerUnmatched?.(endpoint, answer)),
    drifted: (endpoint, difference) => each((one) => one.drifted?.(endpoint, difference)),
    tokenFetched: (endpoint, result) => each((one) => one.tokenFetched?.(endpoint, result)),
    rateLimited: (endpoint) => each((one) => one.rateLimited?.(endpoint)),
    quotaReached: (place, quota) => each((one) => one.quotaReached?.(place, quota)),
    tokenRefused: (reason) => each((one) => one.tokenRefused?.(reason)),
    issuerKeysFailed: (issuer) => each((one) => one.issuerKeysFailed?.(issuer)),
    issuerKeyRefused: (issuer, reason) => each((one) => one.issuerKeyRefused?.(issuer, reason)),
    searchedWidely: (endpoint) => each((one) => one.searchedWidely?.(endpoint)),
    reloaded: (result) => each((one) => one.reloaded?.(result)),
    shed: () => each((one) => one.shed?.()),
  };
}
