import { fstatSync, writeSync } from "node:fs";
import pino from "pino";
import type { LogFields } from "./fields.ts";
import { createLines } from "./line.ts";
import type { Message } from "./messages.ts";

/** Writes one line, of a message and of fields that are in the allow-list. */
export interface Log {
  (message: Message): void;
  (fields: LogFields, message: Message): void;
}

/** The gateway's log. */
export interface Logger {
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
  readonly fatal: Log;
}

/** The log of a process that ends in order. */
export interface ProcessLogger extends Logger {
  /** Waits until every line is written, or cannot be: as long as the reader of a pipe takes. Call it before `process.exit`. */
  flush(): Promise<void>;
}

/** Where lines go. */
export interface Destination {
  write(line: string): void;
  /** Writes at once what is not written yet. */
  flushSync?(): void;
  /** Writes what is not written yet, and waits until it is written, or cannot be. */
  flush?(): Promise<void>;
}

/** The numbers of the levels, as pino and what reads its lines have them. */
const levels: Readonly<Record<keyof Logger, number>> = { info: 30, warn: 40, error: 50, fatal: 60 };

/**
 * Makes the log: lines of JSON that have the fields of the allow-list and no others, whatever it is given.
 * @param destination - standard output when left out
 */
export function createLogger(destination: Destination = openStandardOutput()): ProcessLogger {
  const lineOf = createLines();
  const log =
    (level: keyof Logger): Log =>
    (first: LogFields | Message, second?: Message) => {
      const [fields, message] = typeof first === "string" ? [{}, first] : [first, second];
      destination.write(lineOf(levels[level], fields, message));
      if (level === "fatal") flushSync(destination);
    };
  return {
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    fatal: log("fatal"),
    async flush() {
      await destination.flush?.();
    },
  };
}

/** Writes at once what is not written yet: the process is about to end, whether or not its log can be written. */
function flushSync(destination: Destination): void {
  try {
    destination.flushSync?.();
  } catch {
    // There is nowhere to report it.
  }
}

const STANDARD_OUTPUT = 1;
/** How many bytes are buffered for a slow reader. */
const MOST_UNWRITTEN_BYTES = 16 * 1024 * 1024;
/** A file takes larger batches in fewer system calls. */
const MOST_BYTES_TO_FILE = 16 * 1024;
/**
 * Linux's PIPE_BUF. The processes of one gateway share their pipe: it takes so many bytes in one piece, and may mix a
 * larger write with those of other processes (POSIX, `write`). A single line that is larger is written all the same.
 */
const MOST_BYTES_TO_PIPE = 4 * 1024;
const LINE_FEED = 0x0a;

/** Where batches of whole lines go. */
interface Output extends Destination {
  /** The most bytes of one batch, beside a single line that is larger. */
  readonly mostBytes: number;
}

/**
 * Opens standard output for the log. The lines of one turn of the event loop are written together at its end, or before if
 * they exceed one batch. A process that is killed loses at most the lines of its last turn where standard output is a
 * file; where it is a pipe, also the lines that its reader has not taken yet.
 */
function openStandardOutput(): Destination {
  let lines = "";
  let bytes = 0;
  // Registered before pino's listener, which closes the pipe.
  process.on("exit", () => {
    try {
      writeLines();
    } catch {
      // The pipe has no reader any more.
    }
  });
  const output = fstatSync(STANDARD_OUTPUT).isFile() ? file() : pipe();

  function writeLines(): void {
    if (lines === "") return;
    const text = lines;
    lines = "";
    bytes = 0;
    output.write(text);
  }

  return {
    write(line) {
      const lineBytes = Buffer.byteLength(line);
      if (bytes + lineBytes > output.mostBytes) writeLines();
      if (lines === "") setImmediate(writeLines);
      lines += line;
      bytes += lineBytes;
    },
    flushSync() {
      writeLines();
      output.flushSync?.();
    },
    async flush() {
      writeLines();
      await output.flush?.();
    },
  };
}

/**
 * A file. The gateway waits until the file system has taken a batch: through libuv's threads, each write takes more
 * processor time. Lines that it does not take are lost, as on a full disk: the gateway goes on without its log.
 */
function file(): Output {
  // A full disk takes the beginning of a batch, which may end inside a line.
  let endsInsideLine = false;
  return {
    mostBytes: MOST_BYTES_TO_FILE,
    write(text) {
      let left = Buffer.from(endsInsideLine ? `\n${text}` : text);
      try {
        while (left.length > 0) {
          const written = writeSync(STANDARD_OUTPUT, left);
          endsInsideLine = left[written - 1] !== LINE_FEED;
          left = left.subarray(written);
        }
      } catch {
        // There is nowhere to report it.
      }
    },
  };
}

/**
 * A pipe, a socket, a terminal or another device. A slow reader does not delay the gateway, but loses lines once too much
 * is not written. pino also writes what is left when the process ends, except the batch that is being written at that
 * moment, which `flush` waits for. It gives up a pipe that nobody reads.
 */
function pipe(): Output {
  const stream = pino.destination({
    fd: STANDARD_OUTPUT,
    sync: false,
    // With 0, `flush` does not wait.
    minLength: 1,
    maxLength: MOST_UNWRITTEN_BYTES,
    // pino joins batches up to this.
    maxWrite: MOST_BYTES_TO_PIPE,
  });
  return {
    mostBytes: MOST_BYTES_TO_PIPE,
    write: (text) => void stream.write(text),
    flushSync: () => stream.flushSync(),
    // It reports a failure after the last write too, because a pipe cannot be synchronised with a disk.
    flush: () => new Promise((resolve) => stream.flush(() => resolve())),
  };
}
