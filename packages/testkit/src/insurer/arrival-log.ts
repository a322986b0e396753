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

/** The arrivals on disk, one JSON line each. */
export interface ArrivalLog {
  /** Gives an arrival its number and writes it down; when this returns, it is on the disk. */
  append(arrival: Omit<Arrival, "number">): Arrival;
  /** Reads every arrival from the file; once the log is closed, what it held then. */
  arrivals(): readonly Arrival[];
  /** Closes the file, and removes it when it is a temporary one. A second time is the same as once. */
  close(): void;
}

/** Opens a log; without a file of its own, in a temporary folder. */
export function openArrivalLog(file: string | undefined): ArrivalLog {
  const folder = file === undefined ? mkdtempSync(join(tmpdir(), "insurer-")) : null;
  const path = file ?? join(folder ?? "", "arrivals.jsonl");
  // Requests hold personal data: only the owner may read them.
  const descriptor = openSync(path, "a", 0o600);
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
      if (final !== undefined) return;
      final = read(path);
      closeSync(descriptor);
      if (folder !== null) rmSync(folder, { recursive: true });
    },
  };
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
