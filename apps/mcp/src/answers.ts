import type { Outcome, RetryAdvice } from "@insurance-gateway/core";
import type { Fault } from "@insurance-gateway/core/contract";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { LogFields, LogMessage } from "./log.ts";

/** What a tool call is answered with, and what the log says of it. */
export interface ToolAnswer {
  readonly result: CallToolResult;
  readonly message: LogMessage;
  readonly fields: LogFields;
}

/** A call that did not succeed, as its caller is told. No value that was sent stands in it. */
export interface Failure {
  readonly code: string;
  /** What the call did at the insurer. */
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  /** What happened. */
  readonly message: string;
  /** What to do next. */
  readonly next: string;
  /** Names the request in the gateway's log, when it came so far. */
  readonly requestId: string | null;
  readonly errors: readonly Fault[];
  readonly retryAfterSeconds?: number;
  /** What the insurer calls the thing that it created. */
  readonly reference?: string;
  readonly submissionId?: string;
  /** The search that shows what the insurer has, and where in the body that was sent each parameter stands. */
  readonly lookup?: { readonly tool: string; readonly parameters: unknown };
}

/** A JSON value as the result of a tool: structured, and as text for clients that read nothing else. */
export function jsonResult(value: unknown): CallToolResult {
  const structured = typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    content: [{ type: "text", text: JSON.stringify(value) }],
    ...(structured ? { structuredContent: { ...value } } : {}),
  };
}

/** The answer to a call that did not succeed. */
export function failureAnswer(
  failure: Failure,
  status?: number,
  message: LogMessage = "failed",
): ToolAnswer {
  const { code, outcome, requestId } = failure;
  return {
    result: { ...jsonResult(failure), isError: true },
    message,
    fields: { code, outcome, status, requestId: requestId ?? undefined },
  };
}

/** A failure of which it is certain that nothing was sent. */
export function nothingSent(code: string, message: string, next: string): Failure {
  const outcome = "not_sent";
  return { code, outcome, retry: "never", message, next, requestId: null, errors: [] };
}
