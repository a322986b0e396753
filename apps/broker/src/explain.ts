import { type GatewayError, type Outcome, ProblemError } from "@insurance-gateway/core";

/** What each outcome means for the person at the desk. */
const meanings: Readonly<Record<Outcome, string>> = {
  not_sent: "The insurer never got it.",
  rejected: "The insurer refused it.",
  unknown: "The insurer may have acted: look before you send it again.",
  executed: "The insurer acted, and its answer cannot be used: do not send it again.",
};

/** Tells the person at the desk what went wrong, whether the insurer acted, and what to do. */
export function explain(error: GatewayError): string {
  const reference = error.requestId === null ? "" : ` (request ${error.requestId})`;
  const wait =
    ProblemError.isInstance(error) && error.retryAfterSeconds !== null
      ? ` Try again in ${error.retryAfterSeconds} s.`
      : "";
  return `${error.message}\n${meanings[error.outcome]}${wait}${reference}\n`;
}
