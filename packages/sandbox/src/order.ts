import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** What a gateway starts a sandbox process with. */
export interface SandboxOrder {
  /** Where the sandbox keeps its records and its address. */
  readonly folder: string;
  /** The files of the providers' `./sandbox`. */
  readonly sandboxes: readonly string[];
  /** Changes when what is to be served changes. */
  readonly fingerprint: string;
}

/** Leaves the address where the next gateway finds it. */
export function writeAddress(file: string, address: string): void {
  writeFileSync(`${file}.new`, JSON.stringify({ address }));
  renameSync(`${file}.new`, file);
}

/** The address that a running sandbox left, or null. */
export function readAddress(file: string): string | null {
  try {
    const { address }: { address?: unknown } = JSON.parse(readFileSync(file, "utf8"));
    return typeof address === "string" ? address : null;
  } catch {
    return null;
  }
}
