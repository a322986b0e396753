import type { Gateway } from "@insurance-gateway/core";
import { failureAnswer, jsonResult, nothingSent, type ToolAnswer } from "./answers.ts";
import type { CheckedArguments } from "./arguments.ts";
import { callEndpoint } from "./calls.ts";
import { CODE_HOLDS_MS, type Confirmations } from "./confirmations.ts";
import { maskedValues } from "./masking.ts";
import type { EndpointTool } from "./tools.ts";

/** What a person said when asked: yes; anything else; nothing, because the question did not reach them or they took too long. */
export type Reply = "confirmed" | "declined" | "not asked";

/** Asks a person through the MCP client. */
export type AskPerson = (question: string) => Promise<Reply>;

/** How submissions are confirmed: by a person whom the client asks, or by a code in a second call. */
export type Confirming =
  | { readonly by: "person"; readonly ask: AskPerson }
  | { readonly by: "code"; readonly confirmations: Confirmations };

/** A person reads no more lines than this. */
const MOST_LINES = 50;

/**
 * Sends a submission once it is confirmed, and not before. It is not stopped when its caller goes away: what is under way is
 * finished.
 * @param cancelled - whether the caller has taken the call back
 */
export async function submit(
  gateway: Gateway,
  tool: EndpointTool,
  given: CheckedArguments,
  confirming: Confirming,
  cancelled: () => boolean,
): Promise<ToolAnswer> {
  const { idempotencyKey, parts } = given;
  const open =
    confirming.by === "person"
      ? await unconfirmedByPerson(tool, given, confirming.ask)
      : unconfirmedByCode(tool, given, confirming.confirmations);
  if (open !== null) return open;
  if (cancelled()) return failureAnswer(takenBack, undefined, "not confirmed");
  return callEndpoint(gateway, tool, parts, { idempotencyKey });
}

/** The answer when the person does not confirm; null when they do. */
async function unconfirmedByPerson(
  tool: EndpointTool,
  { parts }: CheckedArguments,
  ask: AskPerson,
): Promise<ToolAnswer | null> {
  const lines = Object.entries(maskedValues(parts)).map(([place, value]) => `${place}: ${value}`);
  const more = lines.length - MOST_LINES;
  const question = [
    `Send this to ${describe(tool)}? It creates or changes something at the insurer. Values are masked:`,
    ...lines.slice(0, MOST_LINES),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");
  const reply = await ask(question);
  return reply === "confirmed" ? null : failureAnswer(refusals[reply], undefined, "not confirmed");
}

/** The answer when there is no code, or a wrong one; null when it is the right one. */
function unconfirmedByCode(
  tool: EndpointTool,
  { confirmation, idempotencyKey, parts }: CheckedArguments,
  confirmations: Confirmations,
): ToolAnswer | null {
  const pending = { tool: tool.name, parts, idempotencyKey };
  if (confirmation === null) return codeAnswer(tool, parts, confirmations.open(pending));
  return confirmations.take(confirmation, pending)
    ? null
    : failureAnswer(wrongCode, undefined, "not confirmed");
}

function codeAnswer(tool: EndpointTool, parts: unknown, confirmation: string): ToolAnswer {
  const result = jsonResult({
    sent: false,
    message: `Nothing was sent yet. ${describe(tool)} would get the values below, which are masked here.`,
    next: "Show this to the person whom it is for. Only when they agree, call this tool again with the same input, the same idempotencyKey and this confirmation.",
    confirmation,
    expiresInSeconds: CODE_HOLDS_MS / 1_000,
    wouldSend: maskedValues(parts),
  });
  return { result, message: "awaits confirmation", fields: {} };
}

function describe({ endpoint, endpointName, provider }: EndpointTool): string {
  return `${provider.name} (${provider.id}: ${endpointName}, ${endpoint.method} ${endpoint.path})`;
}

const refusals = {
  declined: nothingSent(
    "NOT_CONFIRMED",
    "The person did not confirm it, so nothing was sent.",
    "Do not ask again unless the person wants it.",
  ),
  "not asked": nothingSent(
    "NOT_CONFIRMED",
    "Nobody confirmed it, so nothing was sent: the question could not be put, or was not answered in time.",
    "Call this tool again with the same idempotencyKey when a person can answer.",
  ),
};

const wrongCode = nothingSent(
  "CONFIRMATION_INVALID",
  "The confirmation is not the one for this input and idempotencyKey, was used before, or is older than ten minutes. Nothing was sent.",
  "Call this tool without `confirmation` to get a new one, and show a person again what would be sent.",
);

const takenBack = nothingSent(
  "CANCELLED",
  "The call was cancelled before anything was sent.",
  "Call this tool again with the same idempotencyKey when it is wanted after all.",
);
