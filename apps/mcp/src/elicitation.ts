import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { AskPerson } from "./submissions.ts";

/** How long a person may think about it, in milliseconds. */
const PATIENCE_MS = 600_000;

/** Whether the MCP client can ask its person to fill in a form. */
export function canAsk(server: Server): boolean {
  return server.getClientCapabilities()?.elicitation?.form !== undefined;
}

/**
 * Asks the person of the MCP client by elicitation: nothing but a form that is sent with its box ticked is a yes.
 * @param signal - withdraws the question
 */
export function askBy(server: Server, signal: AbortSignal, requestId: RequestId): AskPerson {
  return async (question) => {
    // The SDK's client takes back no request with the number 0, the first: that is never a question. No answer is needed.
    server.ping().catch(() => undefined);
    try {
      const { action, content } = await server.elicitInput(
        {
          mode: "form",
          message: question,
          requestedSchema: {
            type: "object",
            properties: {
              confirmed: { type: "boolean", title: "Send it to the insurer", default: false },
            },
            required: ["confirmed"],
          },
        },
        { signal, timeout: PATIENCE_MS, relatedRequestId: requestId },
      );
      return action === "accept" && content?.confirmed === true ? "confirmed" : "declined";
    } catch {
      // The client has no answer, gave one that is none, or has gone.
      return "not asked";
    }
  };
}
