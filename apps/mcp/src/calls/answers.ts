import type { Outcome, RetryAdvice } from "@insurance-gateway/core";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { LogFields, LogMessage } from "../log.ts";
import { type CheckedFault, visibleJson } from "./untrusted-text.ts";

/** The answer to a tool call, and the fields of the call's log line. */
export interface ToolAnswer {
  readonly result: CallToolResult;
  readonly message: LogMessage;
  readonly fields: LogFields;
}

/**
 * The search that shows the result of a submission. For each parameter of the search, a JSON Pointer selects the value
 * among the submission's arguments.
 */
export interface SearchHint {
  readonly tool: string;
  readonly parameters: Readonly<Record<string, { readonly from: string }>>;
}

/** The content of the answer to a failed call, without any value that the call sent. */
export interface Failure {
  readonly code: string;
  /** The outcome of the call: whether the insurer acted. */
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  /** A description of the failure. It may contain a text of the gateway or the insurer. */
  readonly message: string;
  /** Advice for the next step. */
  readonly next: string;
  /** The id of the request in the gateway's log; null if the gateway did not answer. */
  readonly requestId: string | null;
  readonly errors: readonly CheckedFault[];
  readonly retryAfterSeconds?: number;
  /** The insurer's identifier of the created item. */
  readonly insurerId?: string;
  readonly submissionId?: string;
  /** The search that shows whether the insurer acted. */
  readonly reconciliation?: SearchHint;
}

/** Returns a JSON value as structured content, and as text for clients that read only text. */
export function jsonResult(value: unknown): CallToolResult {
  const text = visibleJson(value);
  const shown: unknown = JSON.parse(text);
  const isObject = typeof shown === "object" && shown !== null && !Array.isArray(shown);
  return {
    content: [{ type: "text", text }],
    ...(isObject ? { structuredContent: { ...shown } } : {}),
  };
}

/** Creates the answer to a failed call. */
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
