import {
  type GatewayError,
  type Outcome,
  OutcomeUnknownError,
  ProblemError,
} from "@insurance-gateway/core";

/** What each outcome means for the person at the desk. */
const meanings: Readonly<Record<Outcome, string>> = {
  not_sent: "The insurer never got it.",
  rejected: "The insurer refused it.",
  unknown: "Nobody knows yet whether the insurer acted.",
  executed: "The insurer acted, and its answer cannot be used: do not send it again.",
};

/** Tells the person at the desk what went wrong, whether the insurer acted, and what to do. */
export function explain(error: GatewayError): string {
  const request = error.requestId === null ? "" : ` (request ${error.requestId})`;
  return `${error.message}\n${meanings[error.outcome]}${nextStep(error)}${request}\n`;
}

function nextStep(error: GatewayError): string {
  if (OutcomeUnknownError.isInstance(error))
    return ` The application is kept: run this again${waitOf(error)}, and it goes on with that one.`;
  if (!ProblemError.isInstance(error)) return "";
  const wait = error.retryAfterSeconds === null ? "" : ` Try again${waitOf(error)}.`;
  return error.insurerId === null ? wait : `${wait} The insurer calls it ${error.insurerId}.`;
}

function waitOf({ retryAfterSeconds }: { readonly retryAfterSeconds: number | null }): string {
  return retryAfterSeconds === null ? "" : ` in ${retryAfterSeconds} s`;
}
