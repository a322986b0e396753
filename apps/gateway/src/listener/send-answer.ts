import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { Answer } from "../pipeline.ts";

/**
 * Writes an answer. Of a caller who has gone nothing is written, and a stream for it is ended.
 * @param failed - is called when nothing of the answer can be sent: another answer may be sent in its place
 */
export function sendAnswer(
  requestId: string,
  { content, contentBytes, headers, status }: Answer,
  response: ServerResponse,
  failed: (error: unknown) => void,
): void {
  const isStream = content !== null && typeof content !== "string" && "pipe" in content;
  if (response.destroyed || response.headersSent) {
    if (isStream) content.destroy();
    return;
  }
  const own: Record<string, string | number> = {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    ...headers,
  };
  try {
    if (isStream) sendStream(content, own, status, response, failed);
    // Neither has content, so that neither says how long it is (RFC 9110, section 8.6).
    else if (content === null || status === 204) {
      delete own["content-type"];
      response.writeHead(status, own).end();
    } else {
      const bytes = contentBytes ?? Buffer.byteLength(content);
      own["content-length"] = bytes;
      // ASCII, which Latin-1 writes as it is: half the time of encoding it.
      response.writeHead(status, own).end(content, bytes === content.length ? "latin1" : "utf8");
    }
  } catch (error) {
    if (isStream) content.destroy();
    withdraw(own, response, () => failed(error));
  }
}

/** Removes what an answer has left for the head, so that another can be sent in its place. */
function withdraw(
  own: Readonly<Record<string, unknown>>,
  response: ServerResponse,
  sendAnother: () => void,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.statusMessage = "";
  for (const name of Object.keys(own)) response.removeHeader(name);
  sendAnother();
}

/**
 * The head is sent with the first piece, so that a stream which fails before that is answered with a problem. A stream
 * that has not its declared length ends the connection: its client could not find the next answer.
 */
function sendStream(
  content: Readable,
  headers: Readonly<Record<string, string | number>>,
  status: number,
  response: ServerResponse,
  failed: (error: unknown) => void,
): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  content.once("error", (error) => withdraw(headers, response, () => failed(error)));
  response.once("close", () => content.destroy());
  const declared = Number(headers["content-length"] ?? Number.NaN);
  let bytes = 0;
  content.on("data", (piece: string | Uint8Array) => {
    bytes += Buffer.byteLength(piece);
    if (bytes > declared) response.destroy();
  });
  content.once("end", () => {
    if (bytes < declared) response.destroy();
  });
  content.pipe(response);
}
