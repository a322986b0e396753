import { fstatSync, writeSync } from "node:fs";
import pino from "pino";
import type { Destination } from "./logger.ts";

const STANDARD_OUTPUT = 1;
/** How many bytes are buffered for a slow reader. */
const MOST_UNWRITTEN_BYTES = 16 * 1024 * 1024;
/** Lines of so many characters are written before the turn ends, as pino writes no more at once. */
const MOST_AT_ONCE = 16 * 1024;

/**
 * Opens standard output for the log. The lines of one turn of the event loop are written together at its end, and when
 * the process ends, what is left is written first. A process that is killed loses at most the lines of its last turn.
 */
export function openStandardOutput(): Destination {
  let lines = "";
  // Registered before pino's listener, which closes the pipe.
  process.on("exit", () => {
    try {
      writeLines();
    } catch {
      // The pipe has no reader any more.
    }
  });
  const output = fstatSync(STANDARD_OUTPUT).isFile() ? file : pipe();

  function writeLines(): void {
    if (lines === "") return;
    const text = lines;
    lines = "";
    output.write(text);
  }

  return {
    write(line) {
      if (lines === "") setImmediate(writeLines);
      lines += line;
      if (lines.length > MOST_AT_ONCE) writeLines();
    },
    flushSync() {
      writeLines();
      output.flushSync?.();
    },
  };
}

/**
 * A file takes lines without a delay. Through libuv's threads, each write takes more processor time. Lines that it does
 * not take are lost, as on a full disk: the gateway goes on without its log.
 */
const file: Destination = {
  write(text) {
    let left = Buffer.from(text);
    try {
      while (left.length > 0) left = left.subarray(writeSync(STANDARD_OUTPUT, left));
    } catch {
      // There is nowhere to report it.
    }
  },
};

/**
 * A pipe or a terminal. A slow reader does not delay the gateway, but loses lines once too much is not written. pino also
 * writes what is left when the process ends, and gives up a pipe that nobody reads.
 */
function pipe(): Destination {
  return pino.destination({ fd: STANDARD_OUTPUT, sync: false, maxLength: MOST_UNWRITTEN_BYTES });
}
