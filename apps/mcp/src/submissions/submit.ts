import type { Gateway, RetryAdvice } from "@insurance-gateway/core";
import { failureAnswer, jsonResult, type ToolAnswer } from "../calls/answers.ts";
import { callEndpoint } from "../calls/endpoint-calls.ts";
import { afterRefusal, earlierCall } from "../calls/failures.ts";
import { valueLines } from "../calls/untrusted-text.ts";
import type { CheckedArguments } from "../tools/arguments.ts";
import type { EndpointTool } from "../tools/endpoint-tools.ts";
import { CODE_VALID_MS, type Confirmation } from "./confirmation.ts";
import type { SentState, SentSubmissions, SubmissionIdentity } from "./sent-submissions.ts";

export interface SubmitOptions {
  readonly gateway: Gateway;
  readonly sent: SentSubmissions;
  readonly confirmation: Confirmation;
  /** Reports whether the client has cancelled the call. */
  readonly isCancelled: () => boolean;
}

/** Maximum number of lines in a question that a person can check. */
const MAX_LINES = 50;
/** Maximum number of characters in a question that a person can check. */
const MAX_CHARACTERS = 10_000;

/**
 * Sends a submission after its confirmation. A submission that was sent before is sent again without a question,
 * because the same key never takes effect twice. If the client cancels the tool call, a submission that was sent still
 * continues.
 */
export async function submit(
  tool: EndpointTool,
  args: CheckedArguments,
  { confirmation, gateway, isCancelled, sent }: SubmitOptions,
): Promise<ToolAnswer> {
  const { idempotencyKey, parts } = args;
  const submission = { tool: tool.name, parts, idempotencyKey };
  const refuse: RefuseSubmission = (reason) => refusalAnswer(reason, sent.find(submission));
  if (sent.find(submission) !== "sent") {
    const refusal = await confirm(tool, submission, args.confirmation, confirmation, refuse);
    if (refusal !== null) return refusal;
  }
  if (isCancelled()) return refuse("cancelled");
  const earlier = earlierCall(sent.find(submission));
  sent.add(submission);
  return callEndpoint(gateway, tool, parts, { idempotencyKey, keyIsGenerated: true, earlier });
}

type RefuseSubmission = (reason: RefusalReason) => ToolAnswer;

/** Asks for the confirmation of a submission. Returns null after a confirmation, otherwise the answer to the call. */
async function confirm(
  tool: EndpointTool,
  submission: SubmissionIdentity,
  code: string | null,
  confirmation: Confirmation,
  refuse: RefuseSubmission,
): Promise<ToolAnswer | null> {
  if (confirmation.by === "nobody") return refuse("nobody");
  const lines = valueLines(submission.parts);
  if (lines.length > MAX_LINES || lines.join("").length > MAX_CHARACTERS) return refuse("too long");
  if (confirmation.by === "person") {
    const question = `Send this to ${describeTool(tool)}? It creates or changes something at the insurer.`;
    const reply = await confirmation.ask([question, ...lines].join("\n"));
    return reply === "confirmed" ? null : refuse(reply);
  }
  const { codes } = confirmation;
  if (code === null) return codeAnswer(tool, lines, codes.create(submission));
  return codes.confirms(code, submission) ? null : refuse("wrong code");
}

/** Returns the answer to a first call, with the values that a second call with the code would send. */
function codeAnswer(tool: EndpointTool, lines: readonly string[], code: string): ToolAnswer {
  const result = jsonResult({
    sent: false,
    message: `This call sent nothing. ${describeTool(tool)} would receive the values below.`,
    next: "Show the complete wouldSend to the person for whom you submit. Only when they agree, call this tool again with the same input, the same idempotencyKey and this confirmation.",
    confirmation: code,
    expiresInSeconds: CODE_VALID_MS / 1_000,
    wouldSend: lines,
  });
  return { result, message: "awaits confirmation", fields: {} };
}

function describeTool({ endpoint, endpointName, provider }: EndpointTool): string {
  return `${provider.name} (${provider.id}: ${endpointName}, ${endpoint.method} ${endpoint.path})`;
}

type RefusalReason = keyof typeof refusals;

/**
 * Returns the answer to a call that sent nothing. An earlier call may have sent the same key, so the insurer may have
 * acted.
 */
function refusalAnswer(reason: RefusalReason, state: SentState): ToolAnswer {
  const { code, next, retry, why } = refusals[reason];
  const failure = {
    code,
    outcome: "not_sent" as const,
    retry,
    message: `${why}.`,
    next,
    requestId: null,
    errors: [],
  };
  return failureAnswer(afterRefusal(failure, earlierCall(state)), undefined, "not confirmed");
}

interface SubmissionRefusal {
  readonly code: string;
  readonly retry: RetryAdvice;
  /** The reason without a full stop. */
  readonly why: string;
  readonly next: string;
}

const refusals = {
  declined: {
    code: "NOT_CONFIRMED",
    retry: "never",
    why: "The person did not confirm the submission",
    next: "Do not call this tool again unless the person wants the submission.",
  },
  "not asked": {
    code: "NOT_CONFIRMED",
    retry: "same_key",
    why: "Nobody confirmed the submission: the question did not reach a person, or was not answered in time",
    next: "Call this tool again with the same idempotencyKey when a person can answer.",
  },
  nobody: {
    code: "CONFIRMATION_UNAVAILABLE",
    retry: "never",
    why: "A person must confirm the submission, and this MCP client cannot ask a person (it does not support elicitation)",
    next: "Tell the person: submissions need an MCP client with elicitation, or this server started with --confirm code.",
  },
  "wrong code": {
    code: "CONFIRMATION_INVALID",
    retry: "same_key",
    why: "The confirmation does not belong to this input and idempotencyKey, or is older than ten minutes",
    next: "Call this tool without `confirmation`, with the same idempotencyKey, to get a new one, and show a person again what would be sent.",
  },
  "too long": {
    code: "CONFIRMATION_TOO_LONG",
    retry: "never",
    why: `The submission has more than ${MAX_LINES} values or ${MAX_CHARACTERS} characters, too many for a person to check`,
    next: "Submit it with another program, such as an application of the gateway's client.",
  },
  cancelled: {
    code: "CANCELLED",
    retry: "same_key",
    why: "The call was cancelled",
    next: "If the person still wants the submission, call this tool again with the same idempotencyKey.",
  },
} satisfies Readonly<Record<string, SubmissionRefusal>>;
