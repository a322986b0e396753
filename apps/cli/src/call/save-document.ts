import { randomUUID } from "node:crypto";
import { lstatSync, statSync } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Download } from "@insurance-gateway/core";
import { writeToOutput } from "../output/print.ts";

/** The file of a saved document. */
export interface SavedDocument {
  readonly file: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/**
 * Returns why a file cannot be written, as far as a check before the download can tell; null if the check finds no
 * reason.
 */
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

/** Reports whether a file is a device that can be written, such as /dev/null. */
function isDevice(file: string): boolean {
  const there = statSync(file, { throwIfNoEntry: false });
  return there?.isCharacterDevice() === true || there?.isFIFO() === true;
}

/**
 * Saves a document. The file appears only when the document is complete; a partial file is removed.
 * @param force - true to replace an existing file
 * @param moved - called with the number of bytes that have arrived so far
 * @throws Error if the file cannot be written or already exists
 */
export async function saveDocument(
  download: Download,
  file: string,
  force: boolean,
  moved: (bytes: number) => void,
): Promise<SavedDocument> {
  // The command writes into a device, and never replaces the device.
  const device = isDevice(file);
  const partial = device ? file : `${file}.${randomUUID()}.partial`;
  const handle = await open(partial, device ? "w" : "wx").catch((error: unknown) => {
    // The open download would keep the process alive.
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
    // Creating a link fails if the file exists; a rename would replace the file.
    if (!device) await (force ? rename(partial, file) : link(partial, file));
    return { file, bytes, mediaType: download.mediaType };
  } finally {
    if (!device) await rm(partial, { force: true });
  }
}

/**
 * Writes a document to standard output.
 * @param signal - ends the wait for a reader that has stopped reading
 */
export async function writeDocument(download: Download, signal: AbortSignal): Promise<void> {
  for await (const chunk of download.stream()) await writeToOutput(chunk, signal);
}

/** The stream on which the progress of a download is printed. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Prints the number of bytes that have arrived, if the stream is a terminal. */
export function showProgress(
  stream: ProgressStream,
  { fileName, size }: Pick<Download, "fileName" | "size">,
): { readonly moved: (bytes: number) => void; readonly end: () => void } {
  if (stream.isTTY !== true) return { moved: () => {}, end: () => {} };
  const whole = size === null ? "" : ` of ${size}`;
  return {
    moved: (bytes) => stream.write(`\r${fileName} ${bytes}${whole} bytes`),
    // Clears the line of progress.
    end: () => stream.write("\r\u001b[K"),
  };
}
