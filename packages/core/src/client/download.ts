import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import type { Endpoint } from "../contract/endpoint.ts";
import { fileNameOf, fileTypeOf } from "../contract/files.ts";
import { TransportError, type TransportResponse } from "../transport/index.ts";
import { invalid, mediaTypeOf } from "./answer.ts";
import { connectionError } from "./failure.ts";

/**
 * A document that is still being received. Read it once, in one of three ways. Until it is read or dropped with
 * `discard()`, it holds a connection, for the time limit of the call at most.
 */
export interface Download {
  /** `application/pdf`. */
  readonly mediaType: string;
  /** A safe name for the file. */
  readonly fileName: string;
  /** How many bytes there are, or null when the gateway does not know. */
  readonly size: number | null;
  /** The bytes, piece by piece, as they come. */
  stream(): AsyncIterable<Uint8Array>;
  /** All bytes at once. */
  bytes(): Promise<Uint8Array>;
  /** Writes the document to a file, which appears only once it is complete. An existing file is replaced. */
  saveTo(path: string): Promise<void>;
  /** Drops the document and frees its connection. */
  discard(): void;
}

/** The gateway never forwards a longer document. */
const MAXIMUM_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** Makes a download of an answer. */
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
    // Nothing reads the bytes, and an unread connection would delay `close()`.
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
