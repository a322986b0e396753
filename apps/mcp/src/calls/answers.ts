import type { Outcome, RetryAdvice } from "@insurance-gateway/core";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { LogFields, LogMessage } from "../log.ts";
import { type CheckedFault, visibleJson } from "./untrusted-text.ts";

/** The answer to a tool call, and its line in the log. */
export interface ToolAnswer {
  readonly result: CallToolResult;
  readonly message: LogMessage;
  readonly fields: LogFields;
}

/** The tool that finds out what happened to a submission. Each of its parameters has a JSON Pointer into the submission's arguments. */
export interface SearchHint {
  readonly tool: string;
  readonly parameters: Readonly<Record<string, { readonly from: string }>>;
}

/** The answer to a failed call. It contains no value that was sent. */
export interface Failure {
  readonly code: string;
  /** Whether the insurer acted. */
  readonly outcome: Outcome;
  readonly retry: RetryAdvice;
  /** The event. It may contain a text of the gateway or the insurer. */
  readonly message: string;
  /** The advice for the next step. */
  readonly next: string;
  /** Identifies the request in the gateway's log; null if the gateway did not answer. */
  readonly requestId: string | null;
  readonly errors: readonly CheckedFault[];
  readonly retryAfterSeconds?: number;
  /** The insurer's identifier of what it created. */
  readonly insurerId?: string;
  readonly submissionId?: string;
  /** Finds out what happened at the insurer. */
  readonly reconciliation?: SearchHint;
}

/** Returns a JSON value as structured content, and as the same text for clients that read only text. */
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
