import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Problem } from "@insurance-gateway/core";
import { problemOf } from "../problems/problem.ts";
import { Refusal } from "../problems/refusal.ts";

/** Answers a connection whose bytes are not HTTP, or whose headers are too large, and closes it. */
export function refuseConnection(
  error: { readonly code?: string },
  socket: Socket,
  basePath: string,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === "HPE_HEADER_OVERFLOW"
      ? new Refusal("HEADERS_TOO_LARGE", { detail: "The headers may have at most 16 kB." })
      : new Refusal("INVALID_REQUEST", { detail: "The request is not well-formed HTTP/1.1." });
  const problem = unreadProblem(refusal, basePath);
  const body = JSON.stringify(problem);
  const head = Object.entries(headersOf(problem, body)).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`;
  socket.end(`${[status, ...head].join("\r\n")}\r\n\r\n${body}`);
}

/** Answers a request that expects of the gateway what it does not do (RFC 9110, section 10.1.1). */
export function refuseExpectation(response: ServerResponse, basePath: string): void {
  const detail = "The gateway meets no expectation other than 100-continue.";
  const problem = unreadProblem(new Refusal("INVALID_REQUEST", { detail }), basePath);
  const body = JSON.stringify(problem);
  response.writeHead(problem.status, headersOf(problem, body)).end(body);
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
