import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** Instructions with which a gateway starts a sandbox process. */
export interface StartInstructions {
  /** Folder in which the sandbox stores its records and its address. */
  readonly folder: string;
  /** Files of the providers' `./sandbox`. */
  readonly sandboxes: readonly string[];
  /** Fingerprint of the files to serve. */
  readonly fingerprint: string;
}

/** Writes the address where the next gateway finds it. */
export function writeAddress(file: string, address: string): void {
  writeFileSync(`${file}.new`, JSON.stringify({ address }));
  renameSync(`${file}.new`, file);
}

/** Returns the address that a running sandbox wrote, or null. */
export function readAddress(file: string): string | null {
  try {
    const { address }: { address?: unknown } = JSON.parse(readFileSync(file, "utf8"));
    return typeof address === "string" ? address : null;
  } catch {
    return null;
  }
}
