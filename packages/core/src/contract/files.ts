import { answersOf } from "./answers.ts";
import type { Endpoint, FileType } from "./endpoint.ts";

/** A PDF; its first bytes are fixed (ISO 32000-1, 7.5.2). */
export const pdf: FileType = {
  mediaType: "application/pdf",
  extension: "pdf",
  signature: "%PDF-",
};

/** The type of a file that an endpoint answers with, by its media type; undefined for one that it does not declare. */
export function fileTypeOf(
  { files }: Pick<Endpoint, "files">,
  mediaType: string,
): FileType | undefined {
  return files?.find((type) => type.mediaType === mediaType);
}

/** The name that a document endpoint gives to its file; of the first declared type when none is given. */
export function fileNameOf(
  { fileName = "document", files }: Pick<Endpoint, "files" | "fileName">,
  type: FileType | undefined = files?.[0],
): string {
  return type === undefined ? fileName : `${fileName}.${type.extension}`;
}

/** What an endpoint answers with, in the order of preference. */
export function answerTypes({
  files,
  response,
}: Pick<Endpoint, "files" | "response">): readonly string[] {
  if (files !== undefined) return files.map(({ mediaType }) => mediaType);
  const types = answersOf({ response }).flatMap(([, { media }]) => Object.keys(media));
  return types.length === 0 ? ["application/json"] : [...new Set(types)];
}
