import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import type { Endpoint } from "../contract/endpoint.ts";
import { fileNameOf, fileTypeOf } from "../contract/files.ts";
import { TransportError, type TransportResponse } from "../transport/index.ts";
import { invalid, mediaTypeOf } from "./answer.ts";
import { connectionError } from "./failure.ts";

/**
 * A document that is still being received. Read it once, in one of three ways. It uses a connection until it is read,
 * discarded with `discard()`, or until the time limit of the call.
 */
export interface Download {
  /** `application/pdf`. */
  readonly mediaType: string;
  /** A safe name for the file. */
  readonly fileName: string;
  /** The size in bytes, or null if the gateway does not know it. */
  readonly size: number | null;
  /** The content as a stream of chunks. */
  stream(): AsyncIterable<Uint8Array>;
  /** The complete content. */
  bytes(): Promise<Uint8Array>;
  /** Writes the document to a file. The file appears only when it is complete, and replaces an existing one. */
  saveTo(path: string): Promise<void>;
  /** Discards the document and releases its connection. */
  discard(): void;
}

/** The gateway never returns a longer document. */
const MAXIMUM_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** Creates a download from an answer. */
export function asDownload(endpoint: Endpoint, response: TransportResponse): Download {
  const length = response.headers["content-length"];
  const mediaType = mediaTypeOf(response);
  const stream = (): AsyncIterable<Uint8Array> => readDocument(endpoint, response);
  return {
    mediaType,
    fileName: fileNameOf(endpoint, fileTypeOf(endpoint, mediaType)),
    size: length === undefined ? null : Number(length),
    stream,
    bytes: () => collect(stream()),
    saveTo: (path) => save(stream(), path, () => response.body.discard()),
    discard: () => response.body.discard(),
  };
}

async function* readDocument(
  endpoint: Endpoint,
  response: TransportResponse,
): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body.stream(MAXIMUM_DOCUMENT_BYTES);
  } catch (error) {
    if (!TransportError.isInstance(error)) throw error;
    throw error.reason === "too_large"
      ? invalid(endpoint, response, [], "The document is larger than 32 MB.")
      : connectionError(endpoint, error, response.headers["x-request-id"] ?? null);
  }
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

async function save(
  stream: AsyncIterable<Uint8Array>,
  path: string,
  giveUp: () => void,
): Promise<void> {
  const partial = `${path}.${randomUUID()}.partial`;
  const file = await open(partial, "wx").catch((error: unknown) => {
    // An unread document would keep its connection open and delay `close()`.
    giveUp();
    throw error;
  });
  try {
    try {
      for await (const chunk of stream) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
