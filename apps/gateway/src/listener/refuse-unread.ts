import { randomUUID } from "node:crypto";
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Problem } from "@insurance-gateway/core";
import type { LimitsConfiguration } from "../configuration/file.ts";
import { http } from "../node-http.ts";
import { problemOf } from "../problems/problem.ts";
import type { Refusal } from "../problems/refusal.ts";
import { keyStateUnknown } from "../submissions/answers.ts";
import { methodNotAllowed } from "../validation/guard.ts";
import type { Bodies } from "./body.ts";
import type { Connections } from "./connections.ts";
import {
  beginsAsRequest,
  type ReadingError,
  refusalOfReading,
  unmetExpectation,
} from "./unreadable.ts";

/** What refusing a request that is not read needs. */
export interface RefusingParts {
  readonly basePath: string;
  /** The limits that count now. */
  readonly limits: () => LimitsConfiguration;
  readonly connections: Connections;
  readonly bodies: Bodies;
  /** Is called with the problem, for the log. */
  readonly refused: (problem: Problem) => void;
}

/** How long a caller may take to read the last answer of a connection and close it. */
const FAREWELL_MS = 2_000;

/** Refuses bytes that are no request, too many headers, and what did not come in time. */
export function refuseConnection(error: ReadingError, socket: Socket, parts: RefusingParts): void {
  const hasGone = error.code === "ECONNRESET" || !socket.writable;
  // Who has sent nothing waits for no answer, and would take it for that of a request it sends next.
  const silent = socket.bytesRead === 0;
  if (hasGone || silent) socket.destroy();
  else {
    refuseTurn(refusalOfReading(error, parts.limits()), mayHaveKey(error, socket), socket, parts);
  }
}

/**
 * Refuses what came last on a connection, and lets the connection end. Where a request before it is not answered yet,
 * nothing is written: its answer is on its way, and whether the insurer acted is that answer's to say.
 */
function refuseTurn(
  refusal: Refusal,
  mayBeKeyed: boolean,
  socket: Socket,
  parts: RefusingParts,
): void {
  const { basePath, bodies, connections, refused } = parts;
  const turn = connections.latest(socket);
  if (turn !== null && !(turn.request.complete && turn.response.closed)) {
    if (!turn.request.complete) bodies.giveUp(turn.request, refusal);
    connections.endAfterAnswer(turn);
    return;
  }
  const problem = unreadProblem(mayBeKeyed ? keyStateUnknown(refusal) : refusal, basePath);
  const body = JSON.stringify(problem);
  const head = Object.entries({ ...refusal.details.headers, ...headersOf(problem, body) });
  const status = `HTTP/1.1 ${problem.status} ${http.STATUS_CODES[problem.status]}`;
  const lines = [status, ...head.map(([name, value]) => `${name}: ${value}`)];
  socket.setTimeout(FAREWELL_MS, () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  refused(problem);
}

/**
 * Whether a request that cannot be read may be a submission with a key. Node gives the last piece that came: what was
 * before it, and headers that are too large, were not seen.
 */
function mayHaveKey({ code, rawPacket }: ReadingError, socket: Socket): boolean {
  const text = rawPacket instanceof Uint8Array ? Buffer.from(rawPacket).toString("latin1") : "";
  const hasBeginning = socket.bytesRead === text.length || beginsAsRequest(rawPacket);
  if (!hasBeginning) return true;
  if (/^(GET|HEAD|OPTIONS) /.test(text)) return false;
  return code === "HPE_HEADER_OVERFLOW" || /idempotency-key/i.test(text);
}

/** Refuses what Node reads and hands over in ways of its own: CONNECT, and expectations. */
export function refuseUnserved(server: Server, parts: RefusingParts): void {
  parts.connections.answerWith(({ headers }, response) => {
    const refusal = unmetExpectation();
    const hasKey = headers["idempotency-key"] !== undefined;
    refuseAtOnce(hasKey ? keyStateUnknown(refusal) : refusal, response, parts);
  }, "checkExpectation");
  server.on("connect", (_, socket) => {
    // Nobody else listens to it any more, or would see it end.
    socket.on("error", () => socket.destroy()).resume();
    // A server of HTTP over TCP or TLS has no other connections.
    refuseTurn(methodNotAllowed(), false, socket as Socket, parts);
  });
}

/** Refuses a request whose expectation is not met. */
function refuseAtOnce(
  refusal: Refusal,
  response: ServerResponse,
  { basePath, refused }: RefusingParts,
): void {
  const problem = unreadProblem(refusal, basePath);
  const body = JSON.stringify(problem);
  response
    .writeHead(problem.status, { ...refusal.details.headers, ...headersOf(problem, body) })
    .end(body);
  refused(problem);
}

function unreadProblem(refusal: Refusal, basePath: string): Problem {
  return problemOf(refusal, { requestId: randomUUID(), provider: null, basePath });
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
