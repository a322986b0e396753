import {
  explain,
  type GatewayError,
  type Outcome,
  OutcomeUnknownError,
  type RetryAdvice,
} from "@insurance-gateway/core";
import { EXIT_FAILED } from "../exit-codes.ts";
import { OutputError } from "../output/print.ts";
import { safeText } from "../output/safe-text.ts";

/** The report of a failure, for a person and for a program. */
export interface FailureReport {
  readonly exitCode: number;
  /** The report as a text for a person. */
  readonly text: string;
  /** The report as JSON for a program. */
  readonly facts: FailureFacts;
}

/** The JSON report of a failure, for a program. */
export interface FailureFacts {
  readonly code: string;
  /** The outcome of the call; null if the error is not an error of a call. */
  readonly outcome: Outcome | null;
  readonly retry: RetryAdvice;
  readonly message: string;
  readonly errors: readonly unknown[];
  /** The idempotency key of a submission. */
  readonly idempotencyKey: string | null;
  readonly submissionId: string | null;
  readonly requestId: string | null;
  /** The insurer's identifier, if the insurer has created something. */
  readonly insurerId: string | null;
}

/** Advice by problem code, for a failed connection or a refused token. */
export type AdviceByCode = Readonly<Record<string, string>>;

/** A row of a report, with the row's name and lines. A row without text is not printed. */
export type ReportRow = readonly [name: string, lines: readonly string[]];

/** Returns the text of a failure for a person: a title and rows. */
export function failureText(title: string, rows: readonly ReportRow[]): string {
  const lines = rows.flatMap(([name, texts]) =>
    texts
      .filter(Boolean)
      .map((text, index) => `  ${(index === 0 ? name : "").padEnd(15)}${safeText(text)}`),
  );
  return [`error: ${safeText(title)}`, ...lines].join("\n");
}

/** Returns the JSON report of an error, without any value of the request. */
export function failureFactsOf(error: GatewayError): FailureFacts {
  const { code, insurerId, outcome, requestId, retry, submissionId } = error;
  return {
    code,
    outcome,
    retry,
    message: shortMessageOf(error),
    errors: explain(error).faults,
    idempotencyKey: OutcomeUnknownError.isInstance(error) ? error.idempotencyKey : null,
    submissionId,
    requestId,
    insurerId,
  };
}

/** Returns an error's message without the endpoint, the code and the faults, which other rows of the report show. */
export function shortMessageOf(error: GatewayError): string {
  return error.code === "TIMEOUT"
    ? "The gateway did not answer in time; --timeout sets how long a call may take."
    : explain(error).happened;
}

/** Creates the report of an unexpected error that is not an error of a call. */
export function unexpectedFailure(error: unknown): FailureReport {
  const message = unexpectedMessage(error);
  return {
    exitCode: EXIT_FAILED,
    text: failureText("unexpected", [
      ["what happened", [message]],
      ["what to do", ["run the command again"]],
    ]),
    facts: unexpectedFacts(message, "safe"),
  };
}

/** Returns the JSON report of an unexpected error. */
export function unexpectedFacts(message: string, retry: RetryAdvice): FailureFacts {
  return {
    code: "UNEXPECTED",
    outcome: "unknown",
    retry,
    message,
    errors: [],
    idempotencyKey: null,
    submissionId: null,
    requestId: null,
    insurerId: null,
  };
}

/**
 * Returns the message of an unexpected error. Quotes only system errors, because other errors may contain the request.
 */
export function unexpectedMessage(error: unknown): string {
  if (error instanceof OutputError) return error.message;
  if (!(error instanceof Error)) return "no error was given";
  return "syscall" in error ? error.message : error.name;
}
