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
