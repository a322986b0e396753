import {
  type GatewayError,
  type Outcome,
  OutcomeUnknownError,
  ProblemError,
  RequestInvalidError,
  ResponseInvalidError,
  type RetryAdvice,
} from "@insurance-gateway/core";
import { type CodeFacts, problemCodes } from "@insurance-gateway/core/problems";

/** A failure as a program reads it. */
export interface FailureFacts {
  readonly code: string;
  /** Null where it is no call that failed. */
  readonly outcome: Outcome | null;
  readonly retry: RetryAdvice;
  readonly message: string;
  readonly errors: readonly unknown[];
  /** What a submission was sent with. */
  readonly idempotencyKey: string | null;
  readonly submissionId: string | null;
  readonly requestId: string | null;
  /** The insurer's own identifier of what it created. */
  readonly insurerId: string | null;
}

/** What a program is told of an error; no value that was sent is in it. */
export function factsOf(error: GatewayError): FailureFacts {
  const { code, outcome, requestId, retry } = error;
  const [key, submissionId] = OutcomeUnknownError.isInstance(error)
    ? [error.idempotencyKey, error.submissionId]
    : [null, null];
  return {
    code,
    outcome,
    retry,
    message: wordsOf(error),
    errors: errorsOf(error),
    idempotencyKey: key,
    submissionId,
    requestId,
    insurerId: ProblemError.isInstance(error) ? error.insurerId : null,
  };
}

function errorsOf(error: GatewayError): readonly unknown[] {
  const behind = OutcomeUnknownError.isInstance(error) ? error.cause : error;
  return ProblemError.isInstance(behind) ||
    RequestInvalidError.isInstance(behind) ||
    ResponseInvalidError.isInstance(behind)
    ? behind.errors
    : [];
}

/** The code of an error, with its status and its title where it has them. */
export function titleOf(error: GatewayError): string {
  const { code } = error;
  const known: Readonly<Record<string, CodeFacts>> = problemCodes;
  const status = "status" in error && typeof error.status === "number" ? ` (${error.status})` : "";
  return `${code}${status}${known[code] === undefined ? "" : `: ${known[code].title}`}`;
}

/** What happened: the message without what the error says apart from it, the place, the code and the faults. */
export function wordsOf(error: GatewayError): string {
  const told = OutcomeUnknownError.isInstance(error) ? error.cause : error;
  if (told.code === "TIMEOUT")
    return "The gateway did not answer in time; --timeout sets how long a call may take.";
  const { code, endpoint, message, provider } = told;
  const before = `${`${provider} ${endpoint}`.trim()}: ${code}. `;
  const words = message.startsWith(before) ? message.slice(before.length) : message;
  if (!ProblemError.isInstance(told)) return words;
  const faults = told.errors.map(({ message: fault, pointer }) => ` ${pointer} ${fault}.`).join("");
  return faults !== "" && words.endsWith(faults) ? words.slice(0, -faults.length) : words;
}
