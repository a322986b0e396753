import type { ServerResponse } from "node:http";
import { endConnectionIfUnread } from "../../http/unread-bodies.ts";
import { securityHeaders } from "./security-headers.ts";

/** The answer of the operations listener. */
export interface OperationsAnswer {
  readonly status: number;
  /** Names in lower case; `content-type` is among them where there is content. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | null;
}

/** An answer without content (RFC 9110, section 15.3.5). */
export const noContent: OperationsAnswer = { status: 204, headers: {}, content: null };

/** Makes an answer in JSON. */
export function inJson(value: unknown, status = 200): OperationsAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    content: JSON.stringify(value),
  };
}

/** Makes an answer in another media type. */
export function inType(
  contentType: string,
  content: string,
  headers: Readonly<Record<string, string>> = {},
): OperationsAnswer {
  return { status: 200, headers: { ...headers, "content-type": contentType }, content };
}

/** Makes a problem (RFC 9457). */
export function problem(
  status: number,
  facts: { readonly detail: string; readonly errors?: readonly string[] },
  headers: Readonly<Record<string, string>> = {},
): OperationsAnswer {
  return {
    status,
    headers: { ...headers, "content-type": "application/problem+json; charset=utf-8" },
    content: JSON.stringify({ status, ...facts }),
  };
}

/** Writes an answer; Node leaves its content out where the request is a HEAD. */
export function sendOperationsAnswer(
  { content, headers, status }: OperationsAnswer,
  response: ServerResponse,
): void {
  endConnectionIfUnread(response.req, response);
  const length = content === null ? {} : { "content-length": String(Buffer.byteLength(content)) };
  response.writeHead(status, { ...securityHeaders, ...headers, ...length }).end(content);
}
