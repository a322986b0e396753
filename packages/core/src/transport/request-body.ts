import { randomUUID } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { bodyFormatOf } from "../contract/body.ts";
import { type FilePart, isFilePart, sizeOf } from "../contract/file-part.ts";
import { encodeForm, type FormEntry } from "../contract/form.ts";

/** A request body as it is sent. */
export interface WrittenBody {
  /** For the header `content-type`. */
  readonly contentType: string;
  readonly content: string | AsyncIterable<Uint8Array>;
  /** In bytes, for the header `content-length`; null where the transport counts, or a file does not say its length. */
  readonly size: number | null;
  /** Whether it can be sent again: not where a file comes piece by piece, and only once. */
  readonly isRepeatable: boolean;
}

/** A file of a request that cannot be read; nothing was sent. */
export class UnreadableFileError extends Error {
  override readonly name = "UnreadableFileError";
  /** Where the body has it, as a JSON Pointer. */
  readonly pointer: string;

  constructor(pointer: string, cause: unknown) {
    super("A file of the request cannot be read", { cause });
    this.pointer = pointer;
  }
}

/**
 * Writes a body in its media type.
 * @param value - what the media type's schema describes: for `multipart/form-data` an object with files, for bytes a file
 * @param isFile - what of the value is a file; `isReceivedFile` where the value is another's
 * @throws UnreadableFileError for the path of a file that is not there
 */
export function writeBody(
  mediaType: string,
  value: unknown,
  isFile: (value: unknown) => value is FilePart = isFilePart,
): WrittenBody {
  const format = bodyFormatOf(mediaType);
  if (format === "multipart") return writeParts(encodeForm(value, isFile));
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

/** A file that is ready to be read. */
interface OpenedFile {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly size: number | null;
  readonly isRepeatable: boolean;
}

function openFile(file: FilePart, pointer: string): OpenedFile {
  const { content } = file;
  if (content instanceof Uint8Array)
    return { chunks: repeated([content]), size: content.byteLength, isRepeatable: true };
  // It does not say whether it can be read a second time.
  if (!("path" in content)) return { chunks: content, size: sizeOf(file), isRepeatable: false };
  const { path } = content;
  const size = sizeOnDisk(path, pointer);
  const chunks = { [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() };
  return { chunks, size, isRepeatable: true };
}

function sizeOnDisk(path: string, pointer: string): number {
  try {
    // One system call, so that a call that cannot be made fails before anything of it is sent.
    const found = statSync(path);
    if (!found.isFile()) throw new TypeError("It is not a file");
    return found.size;
  } catch (error) {
    throw new UnreadableFileError(pointer, error);
  }
}

function repeated(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* chunks;
    },
  };
}

/** Writes `multipart/form-data` (RFC 7578) with a boundary that no file can foresee. */
function writeParts(entries: readonly FormEntry[]): WrittenBody {
  const boundary = `----insurance-gateway-${randomUUID()}`;
  const parts = entries.map(([name, value]): OpenedFile => {
    const head = Buffer.from(`--${boundary}\r\n${headOf(name, value)}\r\n\r\n`);
    const end = Buffer.from("\r\n");
    const content =
      typeof value === "string"
        ? openFile({ mediaType: "text/plain", content: Buffer.from(value) }, "")
        : openFile(value, `/${name}`);
    return {
      chunks: joined([repeated([head]), content.chunks, repeated([end])]),
      size: content.size === null ? null : head.length + content.size + end.length,
      isRepeatable: content.isRepeatable,
    };
  });
  const last = Buffer.from(`--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    content: joined([...parts.map(({ chunks }) => chunks), repeated([last])]),
    size: parts.reduce<number | null>(
      (sum, { size }) => (sum === null || size === null ? null : sum + size),
      last.length,
    ),
    isRepeatable: parts.every(({ isRepeatable }) => isRepeatable),
  };
}

function headOf(name: string, value: string | FilePart): string {
  const field = `Content-Disposition: form-data; name="${escaped(name)}"`;
  if (typeof value === "string") return field;
  const fileName = escaped(value.name ?? "file");
  return `${field}; filename="${fileName}"\r\nContent-Type: ${value.mediaType}`;
}

/** What would end a name is written as in browsers (HTML, "Multipart form data"). */
function escaped(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function joined(parts: readonly AsyncIterable<Uint8Array>[]): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      for (const part of parts) yield* part;
    },
  };
}
