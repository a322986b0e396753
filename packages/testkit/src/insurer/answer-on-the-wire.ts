import { type ServerResponse, STATUS_CODES } from "node:http";
import type { InsurerAnswer } from "./insurer.ts";

/** Sends a complete answer, and then closes the connection unless it is kept alive. */
export function sendAnswer(
  response: ServerResponse,
  answer: InsurerAnswer,
  keepAlive: boolean,
): void {
  const body = bodyOf(answer);
  response.writeHead(answer.status, {
    ...headersOf(answer),
    "content-length": body.byteLength,
    ...(keepAlive ? {} : { connection: "close" }),
  });
  response.end(body);
}

/** The head of an answer as bytes, the empty line included, with headers that say how long the body is. */
export function headOf(answer: InsurerAnswer, framing: Readonly<Record<string, string>>): Buffer {
  const headers = { ...headersOf(answer), ...framing, connection: "close" };
  return Buffer.from(
    [
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "\r\n",
    ].join("\r\n"),
    "latin1",
  );
}

/** The body of an answer as bytes. */
export function bodyOf({ body }: InsurerAnswer): Buffer {
  return typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
}

function headersOf({ headers }: InsurerAnswer): Record<string, string> {
  const named = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return { "content-type": "application/json", ...Object.fromEntries(named) };
}
