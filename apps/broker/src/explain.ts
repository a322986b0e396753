import {
  type GatewayError,
  type Outcome,
  ProblemError,
  type SubmissionResult,
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
  const wait = ProblemError.isInstance(error) ? error.retryAfterSeconds : null;
  const next = wait === null ? "" : ` Try again in ${wait} s.`;
  return `${error.message}\n${meanings[error.outcome]}${next}${request}\n`;
}

/** Explains to the person at the desk why there is no application in hand, and what to do. */
export function explainResult(
  result: Exclude<SubmissionResult, { readonly outcome: "succeeded" }>,
): string {
  switch (result.outcome) {
    case "rejected":
    case "not_sent":
      return explain(result.error);
    case "unknown":
      return result.askAgainAt === null
        ? `${meanings.unknown} The operator of the gateway has to find out.\n`
        : `${meanings.unknown} Run this again after ${result.askAgainAt.toLocaleTimeString("el-GR")}: the insurer gets no second application.\n`;
    case "executed":
      return `${meanings.executed} The insurer's identifier is ${result.insurerId ?? "not known"}.\n`;
  }
}
