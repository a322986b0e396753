/** The bytes of a file: all at once, piece by piece as they come, or those of a file on the machine's disk. */
export type FileContent = Uint8Array | AsyncIterable<Uint8Array> | { readonly path: string };

/** A file in a request: a part of a `multipart/form-data` body, or a whole body of bytes. */
export interface FilePart {
  /** What the sender calls it, without folders. A receiver must not use it as a path. */
  readonly name?: string;
  /** In lower case, without parameters: `application/pdf`. */
  readonly mediaType: string;
  readonly content: FileContent;
  /** How many bytes it has; needed only where `content` comes piece by piece and the length is known. */
  readonly size?: number;
}

/** Whether a value is a file as a request takes it. */
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

/** Whether a value is a file whose bytes are there: a path that another sends must never be read. */
export function isReceivedFile(value: unknown): value is FilePart {
  return isFilePart(value) && !("path" in value.content);
}

/** How many bytes a file has; null where that is not known before they are read. */
export function sizeOf({ content, size }: FilePart): number | null {
  return content instanceof Uint8Array ? content.byteLength : (size ?? null);
}

function isContent(value: unknown): value is FileContent {
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof Uint8Array || Symbol.asyncIterator in value) return true;
  return "path" in value && typeof value.path === "string" && value.path !== "";
}
