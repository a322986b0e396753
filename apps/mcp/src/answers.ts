import type { Outcome, RetryAdvice } from "@insurance-gateway/core";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ShownFault } from "./forms.ts";
import type { LogFields, LogMessage } from "./log.ts";
import { visible } from "./visible.ts";

/** What a tool call is answered with, and what the log says of it. */
export interface ToolAnswer {
  readonly result: CallToolResult;
  readonly message: LogMessage;
  readonly fields: LogFields;
}

/** The tool that shows what became of a submission, and where in the submission's arguments each of its parameters stands. */
export interface SearchHint {
  readonly tool: string;
  readonly parameters: Readonly<Record<string, { readonly from: string }>>;
}

/** A failed call as it is reported to its caller. It contains no value that was sent. */
export interface Failure {
  readonly code: string;
  /** What the call did at the insurer. */
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  /** What happened; a text of the gateway or the insurer may stand in it. */
  readonly message: string;
  /** What to do next. */
  readonly next: string;
  /** Names the request in the gateway's log, when it came so far. */
  readonly requestId: string | null;
  readonly errors: readonly ShownFault[];
  readonly retryAfterSeconds?: number;
  /** What the insurer calls the thing that it created. */
  readonly insurerId?: string;
  readonly submissionId?: string;
  /** The search that shows what the insurer has. */
  readonly reconciliation?: SearchHint;
}

/**
 * A JSON value as the result of a tool: structured, and as text for clients that read nothing else. The text is the same
 * JSON, with no character that cannot be seen.
 */
export function jsonResult(value: unknown): CallToolResult {
  const structured = typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    content: [{ type: "text", text: visible(JSON.stringify(value)) }],
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
