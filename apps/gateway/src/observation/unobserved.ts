import type { Observation } from "./observation.ts";

const nothing = (): void => {};

/** Observes nothing: for a command, whose metrics nobody could read. */
export const unobserved: Observation = {
  requestEnded: nothing,
  attemptEnded: nothing,
  heldBack: nothing,
  answerRefused: nothing,
  answeredStale: nothing,
  answerMismatched: nothing,
  bytesUnasked: nothing,
  answerUnmatched: nothing,
  drifted: nothing,
  tokenFetched: nothing,
  rateLimited: nothing,
  quotaReached: nothing,
  tokenRefused: nothing,
  issuerKeysFailed: nothing,
  issuerKeyRefused: nothing,
  searchedWidely: nothing,
  reloaded: nothing,
  administrationGuessed: nothing,
  shed: nothing,
};
