import {
  GatewayError,
  OutcomeUnknownError,
  ProblemError,
  RequestInvalidError,
  ResponseInvalidError,
  type RetryAdvice,
} from "@insurance-gateway/core";
import { kindPolicies } from "@insurance-gateway/core/contract";
import { type Failure, failureAnswer, type ToolAnswer } from "./answers.ts";
import type { EndpointTool } from "./tools.ts";

/** The answer to a call that threw. */
export function errorAnswer(tool: EndpointTool, error: unknown): ToolAnswer {
  if (!GatewayError.isInstance(error)) return failureAnswer(unexpected(tool));
  const answered =
    ProblemError.isInstance(error) ||
    ResponseInvalidError.isInstance(error) ||
    OutcomeUnknownError.isInstance(error);
  return failureAnswer(failureOf(tool, error), (answered ? error.status : null) ?? undefined);
}

/** A fault of this program: nothing tells how far the call came. */
function unexpected({ endpoint }: EndpointTool): Failure {
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  const retry: RetryAdvice = acts ? "same_key" : "safe";
  return {
    code: "INTERNAL_ERROR",
    outcome: "unknown",
    retry,
    message: acts
      ? "The MCP server failed, and the insurer may have acted."
      : "The MCP server failed.",
    next: adviceOf(retry, acts, null),
    requestId: null,
    errors: [],
  };
}

function failureOf(tool: EndpointTool, error: GatewayError): Failure {
  if (OutcomeUnknownError.isInstance(error)) return unknownOutcome(tool, error);
  const { code, message, outcome, requestId, retry } = error;
  const acts = kindPolicies[tool.endpoint.kind].actsAtInsurer;
  const { reference = null, retryAfterSeconds = null } = ProblemError.isInstance(error)
    ? error
    : {};
  return {
    code,
    outcome,
    retry,
    message,
    next:
      outcome === "executed"
        ? "The insurer has carried it out: do not send it again, under no key."
        : adviceOf(retry, acts, retryAfterSeconds),
    requestId,
    errors: hasErrors(error) ? error.errors : [],
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(reference === null ? {} : { reference }),
  };
}

/** The insurer may have acted; the client's own words speak to a program, these to whoever calls tools. */
function unknownOutcome({ provider }: EndpointTool, error: OutcomeUnknownError): Failure {
  const { code, lookup, outcome, requestId, retry, retryAfterSeconds, submissionId } = error;
  const search = lookup?.endpoint === undefined ? null : `${provider.id}_${lookup.endpoint}`;
  return {
    code,
    outcome,
    retry,
    message:
      "The submission was sent, and nothing tells whether the insurer acted: it may have been carried out.",
    next: [
      adviceOf(retry, true, retryAfterSeconds),
      ...(search === null ? [] : [`${search} shows what the insurer has.`]),
      "A new idempotencyKey could submit it twice.",
    ].join(" "),
    requestId,
    errors: [],
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(submissionId === null ? {} : { submissionId }),
    ...(search === null ? {} : { lookup: { tool: search, parameters: lookup?.parameters } }),
  };
}

function adviceOf(retry: RetryAdvice, acts: boolean, afterSeconds: number | null): string {
  const when = afterSeconds === null ? "" : ` after ${afterSeconds} s`;
  return (acts && retry === "safe" ? submitAgain : advice[retry]).replace("{when}", when);
}

const submitAgain =
  "Nothing was carried out. Call this same tool again{when} with the same input and the same idempotencyKey.";

const advice: Readonly<Record<RetryAdvice, string>> = {
  safe: "Call this tool again{when} with the same input: it changes nothing at the insurer.",
  same_key:
    "Call this same tool again{when} with the same input and the same idempotencyKey: that never sends twice, and it answers with what became of the submission once that is known.",
  after_lookup:
    "The same call would end the same way. Find out first what became of the submission; whoever runs the gateway can, by the submissionId or the requestId.",
  never: "Do not call it again with the same input: do what the message says first.",
};

function hasErrors(
  error: GatewayError,
): error is ProblemError | RequestInvalidError | ResponseInvalidError {
  return (
    ProblemError.isInstance(error) ||
    RequestInvalidError.isInstance(error) ||
    ResponseInvalidError.isInstance(error)
  );
}
