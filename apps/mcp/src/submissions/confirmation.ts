import { randomBytes } from "node:crypto";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import { digestOf, type SubmissionIdentity } from "./sent-submissions.ts";

/**
 * How a submission can be confirmed: by a person through the MCP client, by a code in a second tool call, or not at
 * all.
 */
export type Confirmation =
  | { readonly by: "person"; readonly ask: AskPerson }
  | { readonly by: "code"; readonly codes: ConfirmationCodes }
  | { readonly by: "nobody" };

/** Asks a person through the MCP client. */
export type AskPerson = (question: string) => Promise<Reply>;

/** The reply of a person; `not asked` if the question did not reach the person or got no reply in time. */
export type Reply = "confirmed" | "declined" | "not asked";

/** Time for a reply, in milliseconds. */
const REPLY_TIMEOUT_MS = 600_000;

/** Reports whether the MCP client can show a form to its user. */
export function canAsk(server: Server): boolean {
  return server.getClientCapabilities()?.elicitation?.form !== undefined;
}

/**
 * Asks the user of the MCP client with a form (MCP's elicitation). The user confirms only with a ticked box in the
 * form.
 * @param signal - withdraws the question
 * @param requestId - the id of the tool call that asks
 */
export function askThroughClient(
  server: Server,
  signal: AbortSignal,
  requestId: RequestId,
): AskPerson {
  return async (question) => {
    // The SDK's client cannot cancel request 0, the first request. After this ping, the question is a later request.
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
        { signal, timeout: REPLY_TIMEOUT_MS, relatedRequestId: requestId },
      );
      return action === "accept" && content?.confirmed === true ? "confirmed" : "declined";
    } catch {
      // The client did not answer, gave an invalid answer, or disconnected.
      return "not asked";
    }
  };
}

/** Codes that confirm submissions if the MCP client cannot ask a person. */
export interface ConfirmationCodes {
  /** Creates a code that confirms this submission for ten minutes. */
  create(submission: SubmissionIdentity): string;
  /** Reports whether a code confirms this submission. A code can be reused, which the idempotency key makes safe. */
  confirms(code: string, submission: SubmissionIdentity): boolean;
}

/** Validity of a confirmation code, in milliseconds. */
export const CODE_VALID_MS = 600_000;
/** Maximum number of valid confirmation codes; a further code invalidates the oldest. */
const MAX_CODES = 100;

/**
 * Stores the confirmation codes of one server, each with a digest of the submission instead of the submission's
 * content.
 * @param now - a monotonic clock, in milliseconds
 */
export function createConfirmationCodes(
  now: () => number = () => performance.now(),
): ConfirmationCodes {
  // A Map keeps the order of insertion, so its first entry is the oldest.
  const codes = new Map<string, { readonly digest: string; readonly expiresAt: number }>();
  return {
    create(submission) {
      for (const [code, { expiresAt }] of codes)
        if (expiresAt <= now() || codes.size >= MAX_CODES) codes.delete(code);
      const code = randomBytes(16).toString("hex");
      codes.set(code, { digest: digestOf(submission), expiresAt: now() + CODE_VALID_MS });
      return code;
    },
    confirms(code, submission) {
      const stored = codes.get(code);
      return (
        stored !== undefined && stored.expiresAt > now() && stored.digest === digestOf(submission)
      );
    },
  };
}
