import type { Observation } from "./observation.ts";

/** Tells several observations, in their order; without any, nobody is told. */
export function combine(observations: readonly Observation[]): Observation {
  const each = (tell: (observation: Observation) => void): void => observations.forEach(tell);
  return {
    requestEnded: (request) => each((one) => one.requestEnded(request)),
    attemptEnded: (attempt) => each((one) => one.attemptEnded(attempt)),
    heldBack: (endpoint, by) => each((one) => one.heldBack(endpoint, by)),
    answeredStale: (endpoint) => each((one) => one.answeredStale(endpoint)),
    answerMismatched: (endpoint, field) => each((one) => one.answerMismatched(endpoint, field)),
    rateLimited: (endpoint) => each((one) => one.rateLimited(endpoint)),
    tokenRefused: (reason) => each((one) => one.tokenRefused(reason)),
    issuerKeysFailed: (issuer) => each((one) => one.issuerKeysFailed(issuer)),
    issuerKeyRefused: (issuer, reason) => each((one) => one.issuerKeyRefused(issuer, reason)),
    searchedWidely: (endpoint) => each((one) => one.searchedWidely(endpoint)),
    shed: () => each((one) => one.shed()),
  };
}
