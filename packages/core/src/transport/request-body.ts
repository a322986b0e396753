import { bodyFormatOf } from "../contract/body.ts";
import { type FilePart, isFilePart, sizeOf } from "../contract/files.ts";
import { encodeForm, type FormEntry } from "../contract/form.ts";

/** Request body as it is sent. */
export interface WrittenBody {
  /** Value of the header `content-type`. */
  readonly contentType: string;
  readonly content: string | AsyncIterable<Uint8Array>;
  /** Value of the header `content-length`; null if the transport counts the bytes, or a file's size is unknown. */
  readonly size: number | null;
  /** True if the body can be sent again. A streamed file can be read only once. */
  readonly isRepeatable: boolean;
}

/** Error of a request file that cannot be read. Nothing was sent. */
export class UnreadableFileError extends Error {
  override readonly name = "UnreadableFileError";
  /** JSON Pointer of the file in the body. */
  readonly pointer: string;

  constructor(pointer: string, cause: unknown) {
    super("A file of the request cannot be read", { cause });
    this.pointer = pointer;
  }
}

/**
 * Serializes a body in its media type.
 * @param value - matches the media type's schema: an object with files for `multipart/form-data`, a file for bytes
 * @param isFile - recognises files; pass `isReceivedFile` if the value comes from another party
 * @throws UnreadableFileError if the file at a path cannot be read
 */
export function writeBody(
  mediaType: string,
  value: unknown,
  isFile: (value: unknown) => value is FilePart = isFilePart,
): WrittenBody {
  const format = bodyFormatOf(mediaType);
  if (format === "multipart") return writeMultipart(encodeForm(value, isFile));
  if (format === "bytes" && isFile(value)) {
    const { chunks, isRepeatable, size } = openFile(value, "");
    return { contentType: mediaType, content: chunks, size, isRepeatable };
  }
  const content = textOf(format, value);
  return {
    contentType: format === "text" ? `${mediaType}; charset=utf-8` : mediaType,
    content,
    size: null,
    isRepeatable: true,
  };
}

function textOf(format: ReturnType<typeof bodyFormatOf>, value: unknown): string {
  if (format === "json") return JSON.stringify(value);
  if (format === "text") return String(value);
  const texts = encodeForm(value).flatMap(([name, text]): readonly [string, string][] =>
    typeof text === "string" ? [[name, text]] : [],
  );
  return new URLSearchParams(texts).toString();
}

/** File that is ready to be read. */
interface OpenedFile {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly size: number | null;
  readonly isRepeatable: boolean;
}

function openFile(file: FilePart, pointer: string): OpenedFile {
  const { content } = file;
  if (content instanceof Uint8Array)
    return { chunks: repeatableStreamOf([content]), size: content.byteLength, isRepeatable: true };
  // A stream can be read only once.
  if (!("path" in content)) return { chunks: content, size: sizeOf(file), isRepeatable: false };
  const { path } = content;
  try {
    const { createReadStream, statSync } = fileSystem();
    // The file is checked before anything is sent, so that the call fails early.
    const found = statSync(path);
    if (!found.isFile()) throw new TypeError("It is not a file");
    const chunks = { [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() };
    return { chunks, size: found.size, isRepeatable: true };
  } catch (error) {
    throw new UnreadableFileError(pointer, error);
  }
}

/** Returns Node's file system module. An import would break every bundle for a browser. */
function fileSystem(): typeof import("node:fs") {
  if (typeof process === "undefined") throw new TypeError("This runtime has no file system");
  return process.getBuiltinModule("fs");
}

/** Returns a stream that can be read several times, each time with the same chunks. */
function repeatableStreamOf(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* chunks;
    },
  };
}

/** Serializes `multipart/form-data` (RFC 7578) with a random boundary that no file can contain on purpose. */
function writeMultipart(entries: readonly FormEntry[]): WrittenBody {
  const boundary = `----insurance-gateway-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const parts = entries.map(([name, value, mediaType]): OpenedFile => {
    const head = encoder.encode(`--${boundary}\r\n${partHeadOf(name, value, mediaType)}\r\n\r\n`);
    const end = encoder.encode("\r\n");
    const content =
      typeof value === "string"
        ? openFile({ mediaType: "text/plain", content: encoder.encode(value) }, "")
        : openFile(value, `/${name}`);
    return {
      chunks: concatenate([repeatableStreamOf([head]), content.chunks, repeatableStreamOf([end])]),
      size: content.size === null ? null : head.length + content.size + end.length,
      isRepeatable: content.isRepeatable,
    };
  });
  const last = encoder.encode(`--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    content: concatenate([...parts.map(({ chunks }) => chunks), repeatableStreamOf([last])]),
    size: parts.reduce<number | null>(
      (sum, { size }) => (sum === null || size === null ? null : sum + size),
      last.length,
    ),
    isRepeatable: parts.every(({ isRepeatable }) => isRepeatable),
  };
}

/** Returns the header lines of one part of a multipart body. */
function partHeadOf(name: string, value: string | FilePart, mediaType?: string): string {
  const field = `Content-Disposition: form-data; name="${escapeName(name)}"`;
  if (typeof value === "string")
    return mediaType === undefined ? field : `${field}\r\nContent-Type: ${mediaType}`;
  const fileName = escapeName(value.name ?? "file");
  return `${field}; filename="${fileName}"\r\nContent-Type: ${value.mediaType}`;
}

/** Escapes characters that would end a name, as browsers do (HTML, "Multipart form data"). */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Returns one stream with the content of all streams, in order. */
function concatenate(parts: readonly AsyncIterable<Uint8Array>[]): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      for (const part of parts) yield* part;
    },
  };
}
