import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type {
  ProgressToken,
  Result,
  ServerNotification,
  ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";

/** What the protocol tells of a request. */
export type RequestContext = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Less than any MCP client waits without a sign. */
export const PROGRESS_EVERY_MS = 10_000;

/**
 * Tells the client again and again that its request is being worked on, where it gave a token for that: while a person
 * thinks, and while the insurer does.
 * @param everyMs - how far apart, in milliseconds
 */
export async function withProgress<Answer extends Result>(
  { _meta, sendNotification }: RequestContext,
  everyMs: number,
  answer: Promise<Answer>,
): Promise<Answer> {
  const progressToken: ProgressToken | undefined = _meta?.progressToken;
  if (progressToken === undefined) return answer;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress };
    // A client that has gone needs no sign.
    sendNotification({ method: "notifications/progress", params }).catch(() => undefined);
  }, everyMs);
  return answer.finally(() => clearInterval(timer));
}
