import { randomUUID } from "node:crypto";
import { lstatSync, statSync } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Download } from "@insurance-gateway/core";
import { writeOut } from "../output/print.ts";

/** The file of a saved document. */
export interface SavedDocument {
  readonly file: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** Why a file cannot be written, as far as it is known before the document is fetched; null if it can. */
export function fileFault(file: string, force: boolean): string | null {
  if (file === "") return "--out: must name a file";
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory() === true || file.endsWith("/"))
    return `--out: ${file} is a folder; name a file in it`;
  if (statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory() !== true)
    return `--out: there is no folder ${dirname(file)}`;
  if (force || isDevice(file)) return null;
  if (there !== undefined)
    return `--out: ${file} already exists; use --force to replace it or --out to name another file`;
  return lstatSync(file, { throwIfNoEntry: false }) === undefined
    ? null
    : `--out: ${file} is a broken link; use --force to replace it or --out to name another file`;
}

/** Whether a file is a device that takes bytes, such as /dev/null. */
function isDevice(file: string): boolean {
  const there = statSync(file, { throwIfNoEntry: false });
  return there?.isCharacterDevice() === true || there?.isFIFO() === true;
}

/**
 * Saves a document. The file appears when it is complete; a partial file is removed.
 * @param force - whether an existing file is replaced
 * @param moved - called with the number of bytes that have arrived
 * @throws Error when the file cannot be written or exists
 */
export async function saveDocument(
  download: Download,
  file: string,
  force: boolean,
  moved: (bytes: number) => void,
): Promise<SavedDocument> {
  // A device is written to and never replaced.
  const device = isDevice(file);
  const partial = device ? file : `${file}.${randomUUID()}.partial`;
  const handle = await open(partial, device ? "w" : "wx").catch((error: unknown) => {
    // An unread download would keep the process alive.
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
    if (!device) await (force ? rename(partial, file) : link(partial, file));
    return { file, bytes, mediaType: download.mediaType };
  } finally {
    if (!device) await rm(partial, { force: true });
  }
}

/**
 * Writes a document to standard output.
 * @param signal - cancels the wait for a reader that does not read
 */
export async function writeDocument(download: Download, signal: AbortSignal): Promise<void> {
  for await (const chunk of download.stream()) await writeOut(chunk, signal);
}

/** Where the progress of a download is printed. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Prints on a terminal how many bytes have arrived; elsewhere nothing. */
export function showProgress(
  stream: ProgressStream,
  { fileName, size }: Pick<Download, "fileName" | "size">,
): { readonly moved: (bytes: number) => void; readonly end: () => void } {
  if (stream.isTTY !== true) return { moved: () => {}, end: () => {} };
  const whole = size === null ? "" : ` of ${size}`;
  return {
    moved: (bytes) => stream.write(`\r${fileName} ${bytes}${whole} bytes`),
    // Clears the line.
    end: () => stream.write("\r\u001b[K"),
  };
}
