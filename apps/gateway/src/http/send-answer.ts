import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { Refusal } from "@insurance-gateway/core/runtime";

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  /** The headers of the answer, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The content of the answer; null for an answer without content. */
  readonly content: string | Buffer | Readable | null;
  /** Number of bytes of a text content in UTF-8; undefined if the bytes were not counted. */
  readonly contentLength?: number | undefined;
  /** The refusal from which the problem was made; undefined for other answers, and for stored problems. */
  readonly refusal?: Refusal;
}

/** Names and values of headers in turn. `writeHead` writes this form twice as fast as an object. */
type FlatHeaders = readonly string[];

/**
 * Writes an answer. If the caller has disconnected, only destroys the answer's stream.
 * @returns a promise that resolves when the answer was written, or its caller has disconnected
 * @throws if the answer cannot be sent. Another answer can be sent in its place if `response.headersSent` is false;
 * otherwise end the connection, so that the caller does not take the answer for complete.
 */
export async function sendAnswer(
  requestId: string,
  { content, contentLength, headers, status }: Answer,
  response: ServerResponse,
): Promise<void> {
  const isStream = content !== null && typeof content !== "string" && "pipe" in content;
  if (response.destroyed || response.headersSent) {
    if (isStream) content.destroy();
    return;
  }
  // The gateway's own headers. Declarations cannot use these names: a repeated header would be sent twice.
  const own = ["x-request-id", requestId, "x-content-type-options", "nosniff"];
  // An answer without content states no type and no length (RFC 9110, section 8.6).
  const isEmpty = content === null || status === 204;
  for (const name in headers)
    if (!isEmpty || isStream || name !== "content-type") own.push(name, headers[name] ?? "");
  try {
    if (isStream) await sendStream(content, own, status, response);
    else if (isEmpty) response.writeHead(status, own).end();
    else {
      const bytes = contentLength ?? Buffer.byteLength(content);
      own.push("content-length", String(bytes));
      // ASCII text has the same bytes in Latin-1, which Node writes in half the time. Bytes have no encoding.
      response.writeHead(status, own).end(content, bytes === content.length ? "latin1" : "utf8");
    }
  } catch (error) {
    if (isStream) content.destroy();
    if (!response.headersSent) removeHead(own, response);
    throw error;
  }
}

/** Removes the status text and the headers of an answer that was not sent, so that another answer can replace it. */
function removeHead(own: FlatHeaders, response: ServerResponse): void {
  response.statusMessage = "";
  for (let at = 0; at < own.length; at += 2) response.removeHeader(own[at] ?? "");
}

/**
 * Sends the head of an answer with the first piece of its stream. If the stream fails earlier, a problem can still be
 * sent.
 */
function sendStream(
  content: Readable,
  headers: FlatHeaders,
  status: number,
  response: ServerResponse,
): Promise<void> {
  // A stream that failed before this function was called emits no further error.
  if (content.destroyed) throw content.errored ?? new Error("The stream has ended");
  response.statusCode = status;
  for (let at = 0; at < headers.length; at += 2)
    response.setHeader(headers[at] ?? "", headers[at + 1] ?? "");
  return new Promise((resolve, reject) => {
    content.once("error", reject);
    response.once("close", () => {
      content.destroy();
      resolve();
    });
    content.pipe(response);
  });
}
