import type { Fault } from "../contract/faults.ts";
import { type CodeFacts, problemCodes } from "../problems/codes.ts";
import {
  linkTo,
  ProblemError,
  RequestInvalidError,
  ResponseInvalidError,
  withFaults,
} from "./errors.ts";
import { GatewayError } from "./gateway-error.ts";
import { OutcomeUnknownError, type SubmissionResult } from "./outcome-unknown-error.ts";
import type { Outcome, RetryAdvice } from "./problem.ts";

/** The description of a failure for a person. The only sent value in the description is the submission's key. */
export interface Explanation {
  /** The error code, if possible with status and title: `OVERLOADED (503): The gateway is overloaded`. */
  readonly title: string;
  /** A description of the event, without the endpoint, the code and the faults. */
  readonly happened: string;
  /** The insurer's action, as the end of a sentence that begins with "The insurer": `refused it`. */
  readonly insurer: string;
  /** The next step, in a sentence. */
  readonly next: string;
  /** The faults of the request, or of an unusable answer. */
  readonly faults: readonly Fault[];
  /** The id of the submission about which to ask the gateway; null if unknown. */
  readonly submissionId: string | null;
  /** Seconds to wait before a retry; null if the gateway reports no time. */
  readonly waitSeconds: number | null;
  /** The whole description as one text. */
  readonly text: string;
}

/** A submission that did not succeed. */
type FailedSubmission = Exclude<SubmissionResult, { readonly outcome: "succeeded" }>;

/** Explains a failure to a person: what happened, whether the insurer acted, and what to do next. */
export function explain(failure: GatewayError | FailedSubmission): Explanation {
  const error = GatewayError.isInstance(failure) ? failure : failure.error;
  const cause = OutcomeUnknownError.isInstance(error) ? error.cause : error;
  const happened =
    cause?.detail ??
    "The insurer carried out the submission. The gateway no longer stores its answer.";
  const submissionId = failure.submissionId ?? submissionNamedBy(error);
  const waitSeconds = waitOf(error);
  const insurer = error === null ? outcomesInWords.executed : insurerOf(error);
  const next =
    failure.outcome === "executed"
      ? `Never send the submission again${failure.insurerId === null ? "" : `: the insurer's identifier is ${failure.insurerId}`}.`
      : nextStep(error, submissionId);
  const title = error === null ? "" : titleOf(error);
  const faults = faultsOf(cause);
  const request = error?.requestId ? `(request ${error.requestId})` : "";
  return {
    title,
    happened,
    insurer,
    next,
    faults,
    submissionId,
    waitSeconds,
    text: [
      title && `${title}.`,
      withFaults(happened, faults),
      `The insurer ${insurer}.`,
      next,
      request,
      ProblemError.isInstance(cause) ? linkTo(cause.type).trim() : "",
    ]
      .filter((part) => part !== "")
      .join(" "),
  };
}

function titleOf(error: GatewayError): string {
  const known: Readonly<Record<string, CodeFacts>> = problemCodes;
  const status = "status" in error && typeof error.status === "number" ? ` (${error.status})` : "";
  const title = known[error.code]?.title;
  return `${error.code}${status}${title === undefined ? "" : `: ${title}`}`;
}

function faultsOf(cause: GatewayError | null): readonly Fault[] {
  return ProblemError.isInstance(cause) ||
    RequestInvalidError.isInstance(cause) ||
    ResponseInvalidError.isInstance(cause)
    ? cause.errors
    : [];
}

/** Returns the id of an earlier submission that a refusal names. */
function submissionNamedBy(error: GatewayError | null): string | null {
  const href = ProblemError.isInstance(error) ? error.reconciliation?.href : undefined;
  return /\/submissions\/([A-Za-z0-9._~-]+)$/.exec(href ?? "")?.[1] ?? null;
}

function waitOf(error: GatewayError | null): number | null {
  return ProblemError.isInstance(error) || OutcomeUnknownError.isInstance(error)
    ? error.retryAfterSeconds
    : null;
}

function insurerOf(error: GatewayError): string {
  if (!OutcomeUnknownError.isInstance(error))
    return error.outcome === "unknown"
      ? "may have been asked; the call changes nothing there"
      : outcomesInWords[error.outcome];
  return error.mayBeSent
    ? outcomesInWords.unknown
    : "got nothing from this call; an earlier call with the key may have been sent";
}

const outcomesInWords: Readonly<Record<Outcome, string>> = {
  not_sent: "got nothing",
  rejected: "refused it",
  unknown: "may have acted",
  executed: "acted, and its answer cannot be used",
};

function nextStep(error: GatewayError | null, submissionId: string | null): string {
  const wait = waitOf(error);
  const when = wait === null ? "" : ` after ${wait} s`;
  if (OutcomeUnknownError.isInstance(error)) {
    const key = `the key ${error.idempotencyKey}, which never takes effect twice.`;
    if (error.askAgainAt === null) {
      const about = submissionId === null ? "" : ` about the submission ${submissionId}`;
      return `Ask the gateway's operator${about}. If you send it again, use ${key}`;
    }
    const first = error.retry === "same_key" ? "" : "Find out the reason first. ";
    return `${first}Send it again${when} with ${key}`;
  }
  const retry = error?.retry ?? "never";
  if (retry === "after_check" && submissionId !== null)
    return `Ask the gateway about the submission ${submissionId}.`;
  return nextSteps[retry].replace("{when}", when);
}

const nextSteps: Readonly<Record<RetryAdvice, string>> = {
  safe: "Repeat the call{when}.",
  same_key: "Send it again{when} with the same key.",
  after_check: "First find out whether the insurer acted.",
  never: "Correct the request: the same request would fail again.",
};
