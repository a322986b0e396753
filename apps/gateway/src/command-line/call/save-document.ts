import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Download } from "@insurance-gateway/core";

/** What a document is saved as. */
export interface SavedDocument {
  readonly file: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** What keeps a file from being written, as far as it can be told before the document is fetched; null for nothing. */
export function fileFault(file: string, force: boolean): string | null {
  if (!existsSync(dirname(file))) return `--out: there is no folder ${dirname(file)}`;
  if (!force && existsSync(file))
    return `--out: ${file} is there already; --force replaces it, --out names another file`;
  return null;
}

/**
 * Saves a document. The file appears once it is complete; what is half written does not stay.
 * @param force - whether a file that is there is replaced
 * @param moved - is told how many bytes have come so far
 * @throws Error when the file cannot be written, or is there
 */
export async function saveDocument(
  download: Download,
  file: string,
  force: boolean,
  moved: (bytes: number) => void,
): Promise<SavedDocument> {
  const partial = `${file}.${randomUUID()}.partial`;
  const handle = await open(partial, "wx").catch((error: unknown) => {
    // A connection that waits to be read would hold up the end.
    download.discard();
    throw error;
  });
  try {
    let bytes = 0;
    try {
      for await (const chunk of download.stream()) {
        await handle.writeFile(chunk);
        bytes += chunk.byteLength;
        moved(bytes);
      }
    } finally {
      await handle.close();
    }
    // Unlike a rename, a link replaces nothing.
    await (force ? rename(partial, file) : link(partial, file));
    return { file, bytes, mediaType: download.mediaType };
  } finally {
    await rm(partial, { force: true });
  }
}

/** Writes a document to standard output. */
export async function writeDocument(download: Download): Promise<void> {
  for await (const chunk of download.stream())
    if (!process.stdout.write(chunk))
      await new Promise((resolve) => process.stdout.once("drain", resolve));
}

/** Where the progress of a download is shown. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows on a terminal how many bytes have come; elsewhere nothing. */
export function showProgress(
  stream: ProgressStream,
  { fileName, size }: Pick<Download, "fileName" | "size">,
): { readonly moved: (bytes: number) => void; readonly end: () => void } {
  if (stream.isTTY !== true) return { moved: () => {}, end: () => {} };
  const whole = size === null ? "" : ` of ${size}`;
  return {
    moved: (bytes) => stream.write(`\r${fileName} ${bytes}${whole} bytes`),
    // Back to the beginning of the line, and nothing in it.
    end: () => stream.write("\r\u001b[K"),
  };
}
