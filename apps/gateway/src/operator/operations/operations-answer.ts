import type { ServerResponse } from "node:http";
import { endConnectionIfUnread } from "../../http/unread-bodies.ts";
import { securityHeaders } from "./security-headers.ts";

/** An answer of the operations address. */
export interface OperationsAnswer {
  readonly status: number;
  /** The headers with names in lower case, including `content-type` if there is content. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | null;
}

/** An answer without content (RFC 9110, section 15.3.5). */
export const noContent: OperationsAnswer = { status: 204, headers: {}, content: null };

/** Creates an answer with JSON content. */
export function jsonAnswer(value: unknown, status = 200): OperationsAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    content: JSON.stringify(value),
  };
}

/** Creates an answer with text content of a media type. */
export function typedAnswer(
  contentType: string,
  content: string,
  headers: Readonly<Record<string, string>> = {},
): OperationsAnswer {
  return { status: 200, headers: { ...headers, "content-type": contentType }, content };
}

/** Creates an answer that contains a problem (RFC 9457). */
export function problemAnswer(
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

/** Sends an answer. Node omits the content in an answer to HEAD. */
export function sendOperationsAnswer(
  { content, headers, status }: OperationsAnswer,
  response: ServerResponse,
): void {
  endConnectionIfUnread(response.req, response);
  const length = content === null ? {} : { "content-length": String(Buffer.byteLength(content)) };
  response.writeHead(status, { ...securityHeaders, ...headers, ...length }).end(content);
}
