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

/** The arrivals on disk, one JSON line each. */
export interface ArrivalLog {
  /** Gives an arrival its number and writes it down; when this returns, it is on the disk. */
  append(arrival: Omit<Arrival, "number">): Arrival;
  /** Reads every arrival from the file; once the log is closed, what it held then. */
  arrivals(): readonly Arrival[];
  /** Closes the file for others to open, and removes it when it is a temporary one. */
  close(): void;
}

/**
 * Opens a log; without a file of its own, in a temporary folder.
 * @throws an Error when another insurer has it, and what the system says when it cannot be opened
 */
export function openArrivalLog(file: string | undefined): ArrivalLog {
  const folder = file === undefined ? mkdtempSync(join(tmpdir(), "insurer-")) : null;
  const path = file ?? join(folder ?? "", "arrivals.jsonl");
  // Two that write to one file would both count.
  const unlock = lockLog(path);
  const descriptor = openOrUnlock(path, unlock);
  // A crash in the middle of a write leaves half a line, and nothing was done with its request.
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
    // Requests hold personal data: only the owner may read them.
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
