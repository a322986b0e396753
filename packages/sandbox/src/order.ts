import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** Instructions with which a gateway starts a sandbox process. */
export interface StartInstructions {
  /** Folder in which the sandbox stores its records and its address. */
  readonly folder: string;
  /** Paths of the modules that the provider packages export as `./sandbox`. */
  readonly sandboxes: readonly string[];
  /** Fingerprint of the files to serve. */
  readonly fingerprint: string;
}

/** Writes the sandbox's address to a file in which gateways look for the sandbox. */
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
