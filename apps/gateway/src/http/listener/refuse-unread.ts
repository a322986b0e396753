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
import type { BodyReader } from "../body.ts";
import type { ConnectionTracker } from "../connections.ts";
import { formatSeconds } from "../quantities.ts";
import { endConnection } from "../unread-bodies.ts";

/** Arguments of the functions that refuse a request that the gateway could not read. */
export interface RefuseUnreadParts {
  readonly pages: () => ErrorPages;
  /** Returns the configured limits, which a reload can change. */
  readonly limits: () => LimitsConfiguration;
  readonly connections: ConnectionTracker;
  readonly bodies: BodyReader;
  /** Called with the problem that was sent, for the log. */
  readonly refused: (problem: Problem) => void;
}

/** Refuses bytes that are not a request, too many headers, and requests that did not arrive in time. */
export function refuseConnection(
  error: ReadingError,
  socket: Socket,
  parts: RefuseUnreadParts,
): void {
  const hasGone = error.code === "ECONNRESET" || !socket.writable;
  // A client that has sent nothing expects no answer, and would take a problem for the answer to its next request.
  const silent = socket.bytesRead === 0;
  if (hasGone || silent) socket.destroy();
  else {
    const refusal = refusalOfReading(error, parts.limits());
    refuseLastBytes(refusal, unreadSubmissionIn(error, socket), socket, parts);
  }
}

/**
 * Answers unreadable bytes with a problem, and ends the connection. If an earlier request of the connection is not
 * answered yet, no problem is written: the earlier request's answer follows, and states whether the insurer acted.
 */
function refuseLastBytes(
  refusal: Refusal,
  submission: UnreadSubmission,
  socket: Socket,
  parts: RefuseUnreadParts,
): void {
  const { bodies, connections, pages, refused } = parts;
  const turn = connections.latest(socket);
  if (turn !== null && !(turn.request.complete && turn.response.closed)) {
    if (!turn.request.complete) bodies.giveUp(turn.request, refusal);
    connections.endAfterAnswer(turn);
    return;
  }
  const stated = withSubmissionState(refusal, submission);
  const problem = problemOf(stated, { requestId: randomUUID(), provider: null, pages: pages() });
  const body = JSON.stringify(problem);
  const head = Object.entries({ ...refusal.details.headers, ...headersOf(problem, body) });
  const status = `HTTP/1.1 ${problem.status} ${http.STATUS_CODES[problem.status]}`;
  const lines = [status, ...head.map(([name, value]) => `${name}: ${value}`)];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  endConnection(socket);
  refused(problem);
}

/** Kind of submission that an unread request may be: with an idempotency key, without a key, or null for none. */
type UnreadSubmission = "keyed" | "keyless" | null;

/** Adds to a refusal that an earlier request with the same key, or with the same content, may have been sent. */
function withSubmissionState(refusal: Refusal, submission: UnreadSubmission): Refusal {
  if (submission === null) return refusal;
  return submission === "keyed"
    ? keyStateUnknown(refusal, "its Idempotency-Key, if it had one,")
    : contentNotCompared(refusal);
}

/**
 * Returns whether an unreadable request may be a submission. Node provides only the last piece of the request: earlier
 * pieces, and headers that are too large, are unknown.
 */
function unreadSubmissionIn({ code, rawPacket }: ReadingError, socket: Socket): UnreadSubmission {
  const text = rawPacket instanceof Uint8Array ? Buffer.from(rawPacket).toString("latin1") : "";
  const isRequest = beginsAsRequest(rawPacket);
  const hasBeginning = socket.bytesRead === text.length || isRequest;
  if (!hasBeginning) return "keyed";
  if (/^(GET|HEAD|OPTIONS) /.test(text)) return null;
  if (code === "HPE_HEADER_OVERFLOW" || /idempotency-key/i.test(text)) return "keyed";
  return isRequest ? "keyless" : null;
}

/** Refuses requests with the method CONNECT, which Node reports in a separate event. */
export function refuseConnect(server: Server, parts: RefuseUnreadParts): void {
  server.on("connect", (_, socket) => {
    // Node adds no listener to this socket that handles errors or reads the remaining bytes.
    socket.on("error", () => socket.destroy()).resume();
    // The server listens only on TCP or TLS, so every connection is a `Socket`.
    refuseLastBytes(methodNotAllowed(), null, socket as Socket, parts);
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

/** Node's error for bytes that are not a readable request. */
export interface ReadingError extends Partial<Error> {
  readonly code?: string;
  /** The last bytes that arrived from the caller. */
  readonly rawPacket?: unknown;
}

/** The first line of a request of HTTP/1 (RFC 9112, section 3), with any method. */
const REQUEST_LINE_PATTERN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [^\s]+ HTTP\/1\.[01]\r?\n/;
/** Maximum length of a request line whose method is read, in bytes. */
const MAX_REQUEST_LINE_BYTES = 2_048;

/** Returns the refusal of bytes that could not be read as a request. */
export function refusalOfReading(error: ReadingError, limits: LimitsConfiguration): Refusal {
  const { code, rawPacket } = error;
  if (code === "HPE_HEADER_OVERFLOW") return headersTooLarge(limits);
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return invalidRequest(
      `The request did not arrive in time: its headers must arrive within ${formatSeconds(limits.headersMs)}, the whole request within ${formatSeconds(limits.requestMs)}.`,
    );
  if (code === "HPE_INVALID_METHOD" && beginsAsRequest(rawPacket)) return methodNotAllowed();
  return invalidRequest("The request is not well-formed HTTP/1.1.");
}

/** Reports whether bytes begin with the first line of a request. */
export function beginsAsRequest(bytes: unknown): boolean {
  if (!(bytes instanceof Uint8Array)) return false;
  return REQUEST_LINE_PATTERN.test(
    Buffer.from(bytes.subarray(0, MAX_REQUEST_LINE_BYTES)).toString("latin1"),
  );
}

function invalidRequest(detail: string): Refusal {
  return new Refusal("INVALID_REQUEST", { detail });
}
