import { type ServerResponse, STATUS_CODES } from "node:http";
import type { InsurerAnswer } from "./insurer.ts";

/** Sends a complete answer, and then closes the connection unless it stays open for further requests. */
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

/** Returns the head of an answer as bytes, with the headers for the body's length and the empty line. */
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

/** Returns the body of an answer as bytes. */
export function bodyOf({ body }: InsurerAnswer): Buffer {
  return typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
}

function headersOf({ headers }: InsurerAnswer): Record<string, string> {
  const named = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return { "content-type": "application/json", ...Object.fromEntries(named) };
}
