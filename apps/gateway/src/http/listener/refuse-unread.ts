import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Problem } from "@insurance-gateway/core";
import {
  contentNotCompared,
  type ErrorPages,
  keyStateUnknown,
  problemOf,
  Refusal,
} from "@insurance-gateway/core/runtime";
import type { LimitsConfiguration } from "../../configuration/file.ts";
import { http } from "../../node-http.ts";
import { headersTooLarge, methodNotAllowed } from "../../pipeline/guard.ts";
import type { Bodies } from "../body.ts";
import type { Connections } from "../connections.ts";
import { inSeconds } from "../quantities.ts";
import { endConnection } from "../unread-bodies.ts";

/** The parts that refuse an unread request. */
export interface RefusingParts {
  readonly pages: () => ErrorPages;
  /** The limits that count now. */
  readonly limits: () => LimitsConfiguration;
  readonly connections: Connections;
  readonly bodies: Bodies;
  /** Is called with the problem, for the log. */
  readonly refused: (problem: Problem) => void;
}

/** Refuses bytes that are not a request, too many headers, and requests that did not arrive in time. */
export function refuseConnection(error: ReadingError, socket: Socket, parts: RefusingParts): void {
  const hasGone = error.code === "ECONNRESET" || !socket.writable;
  // Who has sent nothing waits for no answer, and would take it for that of a request it sends next.
  const silent = socket.bytesRead === 0;
  if (hasGone || silent) socket.destroy();
  else {
    const refusal = refusalOfReading(error, parts.limits());
    refuseTurn(refusal, submissionIn(error, socket), socket, parts);
  }
}

/**
 * Refuses what came last on a connection, and lets the connection end. Where a request before it is not answered yet,
 * nothing is written: its answer is on its way, and whether the insurer acted is that answer's to say.
 */
function refuseTurn(
  refusal: Refusal,
  submission: UnreadSubmission,
  socket: Socket,
  parts: RefusingParts,
): void {
  const { bodies, connections, pages, refused } = parts;
  const turn = connections.latest(socket);
  if (turn !== null && !(turn.request.complete && turn.response.closed)) {
    if (!turn.request.complete) bodies.giveUp(turn.request, refusal);
    connections.endAfterAnswer(turn);
    return;
  }
  const told = unread(refusal, submission);
  const problem = problemOf(told, { requestId: randomUUID(), provider: null, pages: pages() });
  const body = JSON.stringify(problem);
  const head = Object.entries({ ...refusal.details.headers, ...headersOf(problem, body) });
  const status = `HTTP/1.1 ${problem.status} ${http.STATUS_CODES[problem.status]}`;
  const lines = [status, ...head.map(([name, value]) => `${name}: ${value}`)];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  endConnection(socket);
  refused(problem);
}

/** The submission that an unread request may be: one with a key, one without, or null for none. */
type UnreadSubmission = "keyed" | "keyless" | null;

/** Makes a refusal truthful about earlier requests with the same key, or with the same content. */
function unread(refusal: Refusal, submission: UnreadSubmission): Refusal {
  if (submission === null) return refusal;
  return submission === "keyed"
    ? keyStateUnknown(refusal, "its Idempotency-Key, if it had one,")
    : contentNotCompared(refusal);
}

/**
 * Says which submission a request may be that cannot be read. Node gives the last piece that came: what was before it, and
 * headers that are too large, were not seen.
 */
function submissionIn({ code, rawPacket }: ReadingError, socket: Socket): UnreadSubmission {
  const text = rawPacket instanceof Uint8Array ? Buffer.from(rawPacket).toString("latin1") : "";
  const isRequest = beginsAsRequest(rawPacket);
  const hasBeginning = socket.bytesRead === text.length || isRequest;
  if (!hasBeginning) return "keyed";
  if (/^(GET|HEAD|OPTIONS) /.test(text)) return null;
  if (code === "HPE_HEADER_OVERFLOW" || /idempotency-key/i.test(text)) return "keyed";
  return isRequest ? "keyless" : null;
}

/** Refuses CONNECT, which Node hands over in a way of its own. */
export function refuseConnect(server: Server, parts: RefusingParts): void {
  server.on("connect", (_, socket) => {
    // Nobody else listens to it any more, or would see it end.
    socket.on("error", () => socket.destroy()).resume();
    // A server of HTTP over TCP or TLS has no other connections.
    refuseTurn(methodNotAllowed(), null, socket as Socket, parts);
  });
}

function headersOf({ requestId }: Problem, body: string): Readonly<Record<string, string>> {
  return {
    "content-type": "application/problem+json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    connection: "close",
  };
}

/** Node's error for bytes that it could not read as a request. */
export interface ReadingError extends Partial<Error> {
  readonly code?: string;
  /** The bytes that came last. */
  readonly rawPacket?: unknown;
}

/** The first line of a request of HTTP/1 (RFC 9112, section 3), whatever its method. */
const REQUEST_LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [^\s]+ HTTP\/1\.[01]\r?\n/;
/** The method of a longer first line is not read. */
const REQUEST_LINE_BYTES = 2_048;

/** Says what is wrong with bytes that could not be read as a request. */
export function refusalOfReading(error: ReadingError, limits: LimitsConfiguration): Refusal {
  const { code, rawPacket } = error;
  if (code === "HPE_HEADER_OVERFLOW") return headersTooLarge(limits);
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return invalid(
      `The request did not arrive in time: its headers have ${inSeconds(limits.headersMs)}, all of it ${inSeconds(limits.requestMs)}.`,
    );
  if (code === "HPE_INVALID_METHOD" && beginsAsRequest(rawPacket)) return methodNotAllowed();
  return invalid("The request is not well-formed HTTP/1.1.");
}

/** Whether bytes begin with the first line of a request. */
export function beginsAsRequest(bytes: unknown): boolean {
  if (!(bytes instanceof Uint8Array)) return false;
  return REQUEST_LINE.test(Buffer.from(bytes.subarray(0, REQUEST_LINE_BYTES)).toString("latin1"));
}

function invalid(detail: string): Refusal {
  return new Refusal("INVALID_REQUEST", { detail });
}
