import { answersOf } from "./answers.ts";
import type { Endpoint, FileType } from "./endpoint.ts";

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
