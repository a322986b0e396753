import {
  type GatewayError,
  type Outcome,
  OutcomeUnknownError,
  ProblemError,
} from "@insurance-gateway/core";

/** Explains each outcome to the user. */
const meanings: Readonly<Record<Outcome, string>> = {
  not_sent: "The insurer never received it.",
  rejected: "The insurer refused it.",
  unknown: "It is not known yet whether the insurer acted.",
  executed: "The insurer acted, but its answer is unusable: do not send it again.",
};

/** Explains to the person at the desk what went wrong, whether the insurer acted, and what to do. */
export function explain(error: GatewayError): string {
  const request = error.requestId === null ? "" : ` (request ${error.requestId})`;
  return `${error.message}\n${meanings[error.outcome]}${nextStep(error)}${request}\n`;
}

function nextStep(error: GatewayError): string {
  if (OutcomeUnknownError.isInstance(error))
    return ` The application is stored: run this again${waitOf(error)} to continue with it.`;
  if (!ProblemError.isInstance(error)) return "";
  const wait = error.retryAfterSeconds === null ? "" : ` Try again${waitOf(error)}.`;
  return error.insurerId === null
    ? wait
    : `${wait} The insurer's identifier is ${error.insurerId}.`;
}

function waitOf({ retryAfterSeconds }: { readonly retryAfterSeconds: number | null }): string {
  return retryAfterSeconds === null ? "" : ` in ${retryAfterSeconds} s`;
}
