import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Problem } from "@insurance-gateway/core";
import { problemOf } from "../problems/problem.ts";
import { Refusal } from "../problems/refusal.ts";
import type { BusyConnections } from "./busy-connections.ts";

/** What refusing a request that is not read needs. */
export interface RefusingParts {
  readonly basePath: string;
  readonly busy: BusyConnections;
  /** Is told of the problem, for the log. */
  readonly refused: (problem: Problem) => void;
}

/**
 * Refuses bytes that are not HTTP, or too many headers. Where a request before them is not answered yet, nothing is
 * written: its answer is on its way, and whether the insurer acted is that answer's to say.
 */
export function refuseConnection(
  error: { readonly code?: string },
  socket: Duplex,
  { basePath, busy, refused }: RefusingParts,
): void {
  if (busy.isBusy(socket)) {
    busy.endWhenAnswered(socket);
    return;
  }
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = unreadProblem(refusalOf(error.code), basePath);
  const body = JSON.stringify(problem);
  const head = Object.entries(headersOf(problem, body)).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`;
  socket.end(`${[status, ...head].join("\r\n")}\r\n\r\n${body}`);
  refused(problem);
}

function refusalOf(code: string | undefined): Refusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return new Refusal("HEADERS_TOO_LARGE", { detail: "The headers may have at most 16 kB." });
  return new Refusal("INVALID_REQUEST", {
    detail:
      code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "The request did not arrive whole within 30 seconds."
        : "The request is not well-formed HTTP/1.1.",
  });
}

/** Answers a request that expects of the gateway what it does not do (RFC 9110, section 10.1.1). */
export function refuseExpectation(
  response: ServerResponse,
  { basePath, refused }: RefusingParts,
): void {
  const detail = "The gateway meets no expectation other than 100-continue.";
  const problem = unreadProblem(new Refusal("INVALID_REQUEST", { detail }), basePath);
  const body = JSON.stringify(problem);
  response.writeHead(problem.status, headersOf(problem, body)).end(body);
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
    "x-request-id": requestId,
    connection: "close",
  };
}
