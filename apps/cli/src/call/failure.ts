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

/** How a failure is reported. */
export interface FailureReport {
  readonly exitCode: number;
  /** For a person. */
  readonly text: string;
  /** For a program. */
  readonly facts: FailureFacts;
}

/** A failure as a program reads it. */
export interface FailureFacts {
  readonly code: string;
  /** Null if no call failed. */
  readonly outcome: Outcome | null;
  readonly retry: RetryAdvice;
  readonly message: string;
  readonly errors: readonly unknown[];
  /** The key that a submission was sent with. */
  readonly idempotencyKey: string | null;
  readonly submissionId: string | null;
  readonly requestId: string | null;
  /** The insurer's own identifier of what it created. */
  readonly insurerId: string | null;
}

/** By problem code: what to do about a connection that cannot be made, or a token that is refused. */
export type Hints = Readonly<Record<string, string>>;

/** A name and its lines of text. A row without text is not printed. */
export type FailureRow = readonly [name: string, lines: readonly string[]];

/** The text of a failure for a person: a title and its rows. */
export function failureText(title: string, rows: readonly FailureRow[]): string {
  const lines = rows.flatMap(([name, texts]) =>
    texts
      .filter(Boolean)
      .map((text, index) => `  ${(index === 0 ? name : "").padEnd(15)}${safeText(text)}`),
  );
  return [`error: ${safeText(title)}`, ...lines].join("\n");
}

/** An error as a program reads it, without any value that was sent. */
export function factsOf(error: GatewayError): FailureFacts {
  const { code, insurerId, outcome, requestId, retry, submissionId } = error;
  return {
    code,
    outcome,
    retry,
    message: messageOf(error),
    errors: explain(error).faults,
    idempotencyKey: OutcomeUnknownError.isInstance(error) ? error.idempotencyKey : null,
    submissionId,
    requestId,
    insurerId,
  };
}

/** Returns the event without the endpoint, the code and the faults, which other rows show. */
export function messageOf(error: GatewayError): string {
  return error.code === "TIMEOUT"
    ? "The gateway did not answer in time; --timeout sets how long a call may take."
    : explain(error).happened;
}

/** Reports an error that nobody expected and that did not come from a call. */
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

/** An unexpected error as a program reads it. */
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

/** The message of an unexpected error. Only the system's own messages are printed: others may repeat what was sent. */
export function unexpectedMessage(error: unknown): string {
  if (error instanceof OutputError) return error.message;
  if (!(error instanceof Error)) return "no error was given";
  return "syscall" in error ? error.message : error.name;
}
