import { answersOf } from "./answers.ts";
import type { Endpoint, FileType } from "./endpoint.ts";

/** The content of a file: bytes, a stream of bytes, or the path of a file on disk. */
export type FileContent = Uint8Array | AsyncIterable<Uint8Array> | { readonly path: string };

/** A file in a request: a part of a `multipart/form-data` body, or a whole body of bytes. */
export interface FilePart {
  /** The sender's name for the file, without folders. A receiver must not use it as a path. */
  readonly name?: string;
  /** The media type in lower case, without parameters: `application/pdf`. */
  readonly mediaType: string;
  readonly content: FileContent;
  /** The size in bytes. Needed only for a stream whose length is known. */
  readonly size?: number;
}

/** Reports whether a value is a file of a request. */
export function isFilePart(value: unknown): value is FilePart {
  if (typeof value !== "object" || value === null) return false;
  const { content, mediaType, name, size }: Partial<Record<keyof FilePart, unknown>> = value;
  return (
    typeof mediaType === "string" &&
    /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(mediaType) &&
    (name === undefined || typeof name === "string") &&
    (size === undefined || (Number.isSafeInteger(size) && Number(size) >= 0)) &&
    isContent(content)
  );
}

/** Reports whether a received value is a file. A file with a path is refused, because the sender chose the path. */
export function isReceivedFile(value: unknown): value is FilePart {
  return isFilePart(value) && !("path" in value.content);
}

/** Returns the size of a file in bytes, or null if the size is unknown until the file is read. */
export function sizeOf({ content, size }: FilePart): number | null {
  return content instanceof Uint8Array ? content.byteLength : (size ?? null);
}

function isContent(value: unknown): value is FileContent {
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof Uint8Array || Symbol.asyncIterator in value) return true;
  return "path" in value && typeof value.path === "string" && value.path !== "";
}

/** The file type PDF. Every PDF begins with the same bytes (ISO 32000-1, 7.5.2). */
export const pdf: FileType = {
  mediaType: "application/pdf",
  extension: "pdf",
  signature: "%PDF-",
};

/** Returns the declared file type for a media type, or undefined if the endpoint does not declare it. */
export function fileTypeOf(
  { files }: Pick<Endpoint, "files">,
  mediaType: string,
): FileType | undefined {
  return files?.find((type) => type.mediaType === mediaType);
}

/** Returns the file name of a document, by default with the extension of the first declared type. */
export function fileNameOf(
  { fileName = "document", files }: Pick<Endpoint, "files" | "fileName">,
  type: FileType | undefined = files?.[0],
): string {
  return type === undefined ? fileName : `${fileName}.${type.extension}`;
}

/** Returns the media types of an endpoint's answer, the preferred one first. */
export function answerTypes({
  files,
  response,
}: Pick<Endpoint, "files" | "response">): readonly string[] {
  if (files !== undefined) return files.map(({ mediaType }) => mediaType);
  const types = new Set<string>();
  for (const [, { media }] of answersOf({ response }))
    for (const type of Object.keys(media)) types.add(type);
  return types.size === 0 ? ["application/json"] : [...types];
}

/** Number of bytes at the beginning of a file in which `beginsAsHtml` looks for a page. */
export const HTML_HEAD_BYTES = 1_024;

/**
 * Reports whether a file begins as an HTML page, perhaps after a byte order mark and white space. A proxy or an
 * insurer can send a page instead of a file that has no signature.
 * @param begins - the first bytes, as Latin-1 text
 */
export function beginsAsHtml(begins: string): boolean {
  return /^(\xEF\xBB\xBF)?\s*<(!doctype html|html\b)/i.test(begins);
}
