import type { Gateway, RetryAdvice } from "@insurance-gateway/core";
import { firstMayHaveActed } from "./advice.ts";
import { failureAnswer, jsonResult, type ToolAnswer } from "./answers.ts";
import type { CheckedArguments } from "./arguments.ts";
import { callEndpoint } from "./calls.ts";
import { CODE_HOLDS_MS, type Confirmations } from "./confirmations.ts";
import type { Confirmable } from "./digests.ts";
import type { SentSubmissions, Standing } from "./sent-submissions.ts";
import { shownValues } from "./shown-values.ts";
import type { EndpointTool } from "./tools.ts";

/** What a person said when asked: yes; anything else; nothing, because the question did not reach them or they took too long. */
export type Reply = "confirmed" | "declined" | "not asked";

/** Asks a person through the MCP client. */
export type AskPerson = (question: string) => Promise<Reply>;

/** How submissions are confirmed: by a person whom the client asks, by a code in a second call, or not at all. */
export type Confirming =
  | { readonly by: "person"; readonly ask: AskPerson }
  | { readonly by: "code"; readonly confirmations: Confirmations }
  | { readonly by: "nobody" };

/** What a submission is sent with, beside its input. */
export interface Submitting {
  readonly gateway: Gateway;
  readonly sent: SentSubmissions;
  readonly confirming: Confirming;
  /** Whether the caller has taken the call back. */
  readonly cancelled: () => boolean;
}

/** A person reads no more lines than this, and no more characters. */
const MOST_LINES = 50;
const MOST_CHARACTERS = 10_000;

/**
 * Sends a submission once it is confirmed, and not before. What was let through before goes again without a question: its
 * key makes that safe. It is not stopped when its caller goes away: what is under way is finished.
 */
export async function submit(
  tool: EndpointTool,
  given: CheckedArguments,
  { cancelled, confirming, gateway, sent }: Submitting,
): Promise<ToolAnswer> {
  const { idempotencyKey, parts } = given;
  const submission = { tool: tool.name, parts, idempotencyKey };
  const refuse: Refuse = (reason) => unconfirmedAnswer(reason, sent.standingOf(submission));
  if (sent.standingOf(submission) !== "sent") {
    const open = await unconfirmed(tool, submission, given.confirmation, confirming, refuse);
    if (open !== null) return open;
  }
  if (cancelled()) return refuse("taken back");
  const sentBefore = sent.standingOf(submission) !== "new";
  sent.note(submission);
  return callEndpoint(gateway, tool, parts, { idempotencyKey, sentBefore });
}

type Refuse = (reason: Unconfirmed) => ToolAnswer;

/** The answer when it is not confirmed; null when it is. */
async function unconfirmed(
  tool: EndpointTool,
  submission: Confirmable,
  confirmation: string | null,
  confirming: Confirming,
  refuse: Refuse,
): Promise<ToolAnswer | null> {
  if (confirming.by === "nobody") return refuse("nobody");
  const lines = shownValues(submission.parts);
  if (lines.length > MOST_LINES || lines.join("").length > MOST_CHARACTERS)
    return refuse("too long");
  if (confirming.by === "person") {
    const question = `Send this to ${describe(tool)}? It creates or changes something at the insurer.`;
    const reply = await confirming.ask([question, ...lines].join("\n"));
    return reply === "confirmed" ? null : refuse(reply);
  }
  const { confirmations } = confirming;
  if (confirmation === null) return codeAnswer(tool, lines, confirmations.open(submission));
  return confirmations.holds(confirmation, submission) ? null : refuse("wrong code");
}

function codeAnswer(
  tool: EndpointTool,
  lines: readonly string[],
  confirmation: string,
): ToolAnswer {
  const result = jsonResult({
    sent: false,
    message: `This call sent nothing. ${describe(tool)} would get the values below.`,
    next: "Show wouldSend, whole, to the person whom it is for. Only when they agree, call this tool again with the same input, the same idempotencyKey and this confirmation.",
    confirmation,
    expiresInSeconds: CODE_HOLDS_MS / 1_000,
    wouldSend: lines,
  });
  return { result, message: "awaits confirmation", fields: {} };
}

function describe({ endpoint, endpointName, provider }: EndpointTool): string {
  return `${provider.name} (${provider.id}: ${endpointName}, ${endpoint.method} ${endpoint.path})`;
}

type Unconfirmed = keyof typeof refusals;

/** The answer to a call that was not sent; whether an earlier one was decides what can be said of the insurer. */
function unconfirmedAnswer(reason: Unconfirmed, standing: Standing): ToolAnswer {
  const { code, next, retry, why } = refusals[reason];
  const facts = { code, requestId: null, errors: [] };
  const failure =
    standing === "new"
      ? {
          ...facts,
          outcome: "not_sent" as const,
          retry,
          message: `${why}. Nothing was sent.`,
          next,
        }
      : {
          ...facts,
          outcome: "unknown" as const,
          retry: "same_key" as const,
          message: `${why}. ${firstMayHaveActed.message}`,
          next: firstMayHaveActed.next,
        };
  return failureAnswer(failure, undefined, "not confirmed");
}

interface Refused {
  readonly code: string;
  readonly retry: RetryAdvice;
  /** Without its full stop. */
  readonly why: string;
  readonly next: string;
}

const refusals = {
  declined: {
    code: "NOT_CONFIRMED",
    retry: "never",
    why: "The person did not confirm it",
    next: "Do not ask again unless the person wants it.",
  },
  "not asked": {
    code: "NOT_CONFIRMED",
    retry: "same_key",
    why: "Nobody confirmed it: the question could not be put, or was not answered in time",
    next: "Call this tool again with the same idempotencyKey when a person can answer.",
  },
  nobody: {
    code: "CONFIRMATION_UNAVAILABLE",
    retry: "never",
    why: "A person must confirm it, and this MCP client cannot ask one (it has no elicitation)",
    next: "Tell the person: submissions need an MCP client with elicitation, or this server started with --confirm code.",
  },
  "wrong code": {
    code: "CONFIRMATION_INVALID",
    retry: "same_key",
    why: "The confirmation is not one for this input and idempotencyKey, or is older than ten minutes",
    next: "Call this tool without `confirmation`, with the same idempotencyKey, to get a new one, and show a person again what would be sent.",
  },
  "too long": {
    code: "CONFIRMATION_TOO_LONG",
    retry: "never",
    why: `It has more than ${MOST_LINES} values or ${MOST_CHARACTERS} characters, which nobody can confirm at a glance`,
    next: "Submit it with another program, such as an application of the gateway's client.",
  },
  "taken back": {
    code: "CANCELLED",
    retry: "same_key",
    why: "The call was cancelled",
    next: "Call this tool again with the same idempotencyKey when it is wanted after all.",
  },
} satisfies Readonly<Record<string, Refused>>;
