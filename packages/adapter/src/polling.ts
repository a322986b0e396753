import { type Endpoint, valueAt } from "@insurance-gateway/core/contract";
import { percentDecoded } from "@insurance-gateway/core/runtime";
import { type AdapterContext, unreadableAnswer } from "./adapter.ts";
import type { CallSource, DecodedReply, Polling, RequestResult } from "./answer-mapping.ts";

/** Minimum pause between queries, in milliseconds. A shorter pause would only put load on the insurer. */
const MIN_PAUSE_MS = 250;

/** Returns the fault of an endpoint's `poll`, or null if `poll` is valid. */
export function pollingFault({ kind }: Endpoint, polling: Polling | undefined): string | null {
  if (polling === undefined) return null;
  const { at, is, status } = polling.pending;
  if (kind === "search")
    return "`poll` must be on an endpoint that is not a search, because a search sends at most three requests";
  if ((at === undefined) !== (is === undefined)) return "`poll.pending` needs both `at` and `is`";
  if (at === undefined && status === undefined)
    return "`poll.pending` must have a status or a value";
  if (is?.length === 0) return "`poll.pending.is` must have a value";
  if (status !== undefined && (status < 200 || status > 299))
    return "`poll.pending.status` must be 200 to 299: other answers are refusals";
  const { ticket } = polling;
  if (typeof ticket === "object" && ticket.header !== ticket.header.toLowerCase())
    return "`poll.ticket.header` must be in lower case";
  return polling.everyMs < MIN_PAUSE_MS ? `\`poll.everyMs\` must be ${MIN_PAUSE_MS} or more` : null;
}

/** Reports whether an answer means that the insurer has not finished the work. */
export function isPending(
  polling: Polling | undefined,
  { content, response }: DecodedReply,
): boolean {
  if (polling === undefined) return false;
  const { at, is, status } = polling.pending;
  const isStatus = status === undefined || status === response.status;
  return isStatus && (at === undefined || is?.some((one) => one === valueAt(content, at)) === true);
}

/** A call that the insurer may accept first and finish later. */
interface PolledCall {
  readonly endpoint: Endpoint;
  readonly source: CallSource;
  readonly wait: AdapterContext["wait"];
  /** Sends the query for the result. The insurer must not act on this query. */
  readonly query: (source: CallSource) => Promise<RequestResult>;
}

/**
 * Queries the insurer until the work is finished, and never repeats the request on which the insurer acts. If the time
 * of the call is over before the work is finished, a document is not ready, and any other call ends with an unusable
 * answer: the outcome of a submission is then `unknown`. The insurer answered every request, so the insurer did not
 * fail, and the gateway does not retry the call.
 * @param first - the answer to the main request
 */
export async function pollUntilFinished(
  first: RequestResult,
  polling: Polling,
  { endpoint, query, source, wait }: PolledCall,
): Promise<RequestResult> {
  let reply = first;
  if (!("content" in first)) return reply;
  const ticket = isPending(polling, first) ? ticketInAnswer(polling, first) : "";
  if (ticket === null)
    return {
      ended: unreadableAnswer(
        first.response.status,
        "The insurer's answer does not name the unfinished work.",
      ),
    };
  while ("content" in reply && isPending(polling, reply)) {
    if (!(await wait(pauseMsAfter(polling, reply)))) {
      const { status } = reply.response;
      return endpoint.kind === "document"
        ? { ended: { type: "notReady" } }
        : { ended: unreadableAnswer(status, "The insurer did not finish in time.") };
    }
    reply = await query({ ...source, ticket });
  }
  return reply;
}

function ticketInAnswer({ ticket }: Polling, { content, response }: DecodedReply): string | null {
  const found =
    typeof ticket === "string"
      ? valueAt(content, ticket)
      : lastSegment(response.headers[ticket.header] ?? "");
  const text = typeof found === "number" ? String(found) : found;
  return typeof text === "string" && text.trim() !== "" ? text.trim() : null;
}

/** Returns the decoded last segment of an address's path (RFC 3986), or null if the segment cannot be decoded. */
function lastSegment(address: string): string | null {
  const [path = ""] = address.split(/[?#]/, 1);
  return percentDecoded(path.replace(/\/+$/, "").split("/").at(-1) ?? "");
}

function pauseMsAfter({ everyMs }: Polling, { response: { headers } }: DecodedReply): number {
  const { "retry-after": asked = "" } = headers;
  return Math.max(everyMs, /^\d{1,5}$/.test(asked) ? Number(asked) * 1_000 : 0);
}
