import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";

/** The date of all files in an archive: fixed, so that the same files always result in the same bytes. */
const FIXED_DATE = new Date(1980, 0, 1, 12);

/**
 * Packs texts as the files of a ZIP file.
 * @param level - the compression level, 0 or 6; level 6 is slow for many files
 */
export function pack(files: Readonly<Record<string, string>>, level: 0 | 6 = 6): Uint8Array {
  const entries = Object.entries(files).map(([path, text]) => [path, strToU8(text)] as const);
  return zipSync(Object.fromEntries(entries), { mtime: FIXED_DATE, level });
}

/** Unpacks a ZIP file that the function `pack` packed. */
export function unpack(archive: Uint8Array): Readonly<Record<string, string>> {
  const entries = Object.entries(unzipSync(archive));
  return Object.fromEntries(entries.map(([path, bytes]) => [path, strFromU8(bytes)]));
}
