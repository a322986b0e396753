import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { SCHEMA_VERSION } from "../store/migrations.ts";
import { StoreRefusedError } from "../store/store.ts";
import type { Encryption } from "./encryption.ts";

// The file of an export: a line of JSON in clear, the header, then chunks. A chunk is a byte, 0 or for the last one 1,
// the length of the rest in 4 bytes, and JSON that is encrypted with AES-256-GCM. The digest of the header, the chunk's
// index and whether it is the last are authenticated with it, so that no chunk can be removed, moved or copied elsewhere.

/** The line that a file begins with. */
export interface ExportHeader {
  readonly format: "insurance-gateway-submissions";
  readonly formatVersion: 1;
  /** The version of the schema that was exported. */
  readonly storeVersion: number;
  /** The key of `submissions.keys` that encrypted the file. */
  readonly keyId: string;
  /** Names this export, so that an import that was interrupted knows its file again. */
  readonly id: string;
}

/** A chunk as it was read. */
export interface Chunk {
  readonly content: unknown;
  readonly isLast: boolean;
  /** Where the next chunk begins in the file. */
  readonly end: number;
}

/** A file that is not what an export wrote. */
export class ExportFileError extends Error {
  /** Whether it ends too early, and is right until then. */
  readonly truncated: boolean;

  constructor(message: string, truncated = false) {
    super(message);
    this.truncated = truncated;
  }
}

const FRAME_BYTES = 5;
const LONGEST_HEADER = 1_000;
/** Longer than the longest answer can be; a length that was changed must not take all memory. */
const LONGEST_CHUNK = 1_000_000_000;

/** Makes the header of a new export. */
export function newHeader({ keyId }: Encryption): ExportHeader {
  return {
    format: "insurance-gateway-submissions",
    formatVersion: 1,
    storeVersion: SCHEMA_VERSION,
    keyId,
    id: randomUUID(),
  };
}

/** The header as the file has it. */
export function headerLine(header: ExportHeader): string {
  return `${JSON.stringify(header)}\n`;
}

/** A chunk as the file has it. */
export function encryptChunk(
  encryption: Encryption,
  header: ExportHeader,
  { content, index, isLast }: Pick<Chunk, "content" | "isLast"> & { readonly index: number },
): Uint8Array {
  const text = Buffer.from(JSON.stringify(content));
  const bytes = encryption.encrypt(text, placeOf(headerLine(header), index, isLast));
  const frame = Buffer.alloc(FRAME_BYTES);
  frame.writeUInt8(isLast ? 1 : 0, 0);
  frame.writeUInt32BE(bytes.byteLength, 1);
  return Buffer.concat([frame, bytes]);
}

function placeOf(header: string, index: number, isLast: boolean): string {
  const digest = createHash("sha256").update(header).digest("hex");
  return `export ${digest} ${index} ${isLast ? "last" : "more"}`;
}

/** An export that is open for reading. */
export interface OpenExport {
  readonly header: ExportHeader;
  /** Reads the chunks from the first to the last, one at a time. Throws ExportFileError. */
  chunks(): AsyncGenerator<Chunk, void, undefined>;
  close(): Promise<void>;
}

/**
 * Opens a file for reading.
 * @throws ExportFileError for another file, StoreRefusedError for another version, ConfigurationError without its key
 */
export async function openExport(
  path: string,
  encryption: Encryption,
  source: string,
): Promise<OpenExport> {
  const file = await open(path, "r");
  try {
    const line = await readLine(file);
    const header = headerOf(line, path);
    if (!encryption.knows(header.keyId))
      throw new ConfigurationError(source, [
        `submissions.keys: ${path} was encrypted with the key "${header.keyId}"; add that key`,
      ]);
    const decrypt = (bytes: Uint8Array, index: number, isLast: boolean): Uint8Array =>
      encryption.decrypt(bytes, header.keyId, placeOf(line, index, isLast));
    return {
      header,
      chunks: () => readChunks({ file, path, decrypt, start: Buffer.byteLength(line) }),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readLine(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_HEADER), 0, LONGEST_HEADER, 0);
  const text = buffer.subarray(0, bytesRead).toString("latin1");
  return text.slice(0, text.indexOf("\n") + 1);
}

function headerOf(line: string, path: string): ExportHeader {
  const { format, formatVersion, id, keyId, storeVersion } = parsed(line);
  if (format !== "insurance-gateway-submissions" || typeof keyId !== "string")
    throw new ExportFileError(`${path} is no export of submissions.`);
  if (formatVersion !== 1 || storeVersion !== SCHEMA_VERSION || typeof id !== "string")
    throw new StoreRefusedError(
      `${path} has store version ${String(storeVersion)}, and this gateway has ${SCHEMA_VERSION}: import it with the version of the gateway that exported it, then start the newer one on that store.`,
    );
  return { format, formatVersion, storeVersion, keyId, id };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>; // every object is one
  } catch {
    return {};
  }
}

async function* readChunks({
  decrypt,
  file,
  path,
  start,
}: {
  readonly file: FileHandle;
  readonly path: string;
  readonly decrypt: (bytes: Uint8Array, index: number, isLast: boolean) => Uint8Array;
  readonly start: number;
}): AsyncGenerator<Chunk, void, undefined> {
  const { size } = await file.stat();
  const truncated = (): ExportFileError =>
    new ExportFileError(`${path} is truncated: its end is missing.`, true);
  let offset = start;
  for (let index = 0; ; index++) {
    const frame = await readBytes(file, offset, FRAME_BYTES);
    const isLast = frame.readUInt8(0) === 1;
    const length = frame.readUInt32BE(1);
    const end = offset + FRAME_BYTES + length;
    // Also where the frame itself is not whole: what is missing of it is read as zeros.
    if (end > size) throw truncated();
    if (length > LONGEST_CHUNK) throw changed(path, index);
    const bytes = await readBytes(file, offset + FRAME_BYTES, length);
    yield { content: contentOf(() => decrypt(bytes, index, isLast), path, index), isLast, end };
    if (isLast && end < size) throw changed(path, index + 1);
    if (isLast) return;
    offset = end;
  }
}

async function readBytes(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer;
}

function contentOf(decrypt: () => Uint8Array, path: string, index: number): unknown {
  try {
    return JSON.parse(Buffer.from(decrypt()).toString("utf8"));
  } catch {
    throw changed(path, index);
  }
}

function changed(path: string, index: number): ExportFileError {
  return new ExportFileError(
    index === 0
      ? `${path} cannot be decrypted: the key of submissions.keys with its id is another one, or the file was changed.`
      : `${path} was changed: part ${index} is not what the export wrote there.`,
  );
}
