import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { Answer } from "../pipeline.ts";

/** The callbacks for an answer that cannot be sent. */
export interface Unsent {
  /** Called if nothing of the answer was sent: another answer can be sent in its place. */
  readonly failed: (error: unknown) => void;
  /** Called if the rest of a stream cannot be sent: end the connection, so that the caller does not take it for complete. */
  readonly broken: (error: unknown) => void;
}

/** Writes an answer. If the caller has gone, it writes nothing and destroys the stream of the answer. */
export function sendAnswer(
  requestId: string,
  { content, contentBytes, headers, status }: Answer,
  response: ServerResponse,
  unsent: Unsent,
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
    if (isStream) sendStream(content, own, status, response, unsent);
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
    withdraw(own, response, error, unsent);
  }
}

/** Removes the status text and the headers of an answer that was not sent, so that another can be sent in its place. */
function withdraw(
  own: Readonly<Record<string, unknown>>,
  response: ServerResponse,
  error: unknown,
  { broken, failed }: Unsent,
): void {
  if (response.headersSent || response.destroyed) {
    broken(error);
    return;
  }
  response.statusMessage = "";
  for (const name of Object.keys(own)) response.removeHeader(name);
  failed(error);
}

/** The head is sent with the first piece, so that a stream which fails before that is answered with a problem. */
function sendStream(
  content: Readable,
  headers: Readonly<Record<string, string | number>>,
  status: number,
  response: ServerResponse,
  unsent: Unsent,
): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  content.once("error", (error) => withdraw(headers, response, error, unsent));
  response.once("close", () => content.destroy());
  content.pipe(response);
}
