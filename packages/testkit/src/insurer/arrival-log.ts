import {
  appendFileSync,
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Arrival } from "./insurer.ts";
import { lockLog } from "./log-lock.ts";

/** The log of arrived requests: a file with one JSON line for each request. */
export interface ArrivalLog {
  /** Numbers a request and writes the request to disk before the function returns. */
  append(arrival: Omit<Arrival, "number">): Arrival;
  /** Returns all logged requests, read from the file; after `close`, the requests until the log was closed. */
  arrivals(): readonly Arrival[];
  /** Closes the file, so that another insurer can open it, and removes a temporary file. */
  close(): void;
}

/**
 * Opens a log, by default in a temporary folder.
 * @throws an Error if another insurer uses the log, or the system's error if the log cannot be opened
 */
export function openArrivalLog(file: string | undefined): ArrivalLog {
  const folder = file === undefined ? mkdtempSync(join(tmpdir(), "insurer-")) : null;
  const path = file ?? join(folder ?? "", "arrivals.jsonl");
  // Two insurers with the same file would give different requests the same number.
  const unlock = lockLog(path);
  const descriptor = openOrUnlock(path, unlock);
  // A crash while writing leaves an incomplete line. The request of this line was not processed.
  ftruncateSync(descriptor, Buffer.byteLength(completeLines(path)));
  let count = read(path).length;
  let final: readonly Arrival[] | undefined;
  return {
    append(parts) {
      const arrival = { number: count + 1, ...parts };
      appendFileSync(descriptor, `${JSON.stringify(arrival)}\n`);
      fsyncSync(descriptor);
      count = arrival.number;
      return arrival;
    },
    arrivals: () => final ?? read(path),
    close() {
      final = read(path);
      closeSync(descriptor);
      unlock();
      if (folder !== null) rmSync(folder, { recursive: true });
    },
  };
}

function openOrUnlock(path: string, unlock: () => void): number {
  try {
    // Requests contain personal data, so only the owner may read them.
    return openSync(path, "a", 0o600);
  } catch (error) {
    unlock();
    throw error;
  }
}

function read(path: string): readonly Arrival[] {
  return completeLines(path)
    .split("\n")
    .slice(0, -1)
    .map((line): Arrival => JSON.parse(line));
}

function completeLines(path: string): string {
  const text = readFileSync(path, "utf8");
  return text.slice(0, text.lastIndexOf("\n") + 1);
}
