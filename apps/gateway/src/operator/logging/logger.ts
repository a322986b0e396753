import { fstatSync, writeSync } from "node:fs";
import pino from "pino";
import type { LogFields } from "./fields.ts";
import { createLines } from "./line.ts";
import type { Message } from "./messages.ts";

/** Writes a log line with a message, and with or without fields. */
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

/** The log of a process, with a function that writes all buffered lines before the process exits. */
export interface ProcessLogger extends Logger {
  /**
   * Waits until every line was written or has failed. Call this function before `process.exit`. The function waits for
   * a slow reader of a pipe.
   */
  flush(): Promise<void>;
}

/** The destination of log lines. */
export interface Destination {
  write(line: string): void;
  /** Writes the buffered lines synchronously. */
  flushSync?(): void;
  /** Writes the buffered lines, and waits until each line was written or has failed. */
  flush?(): Promise<void>;
}

/** The number of each log level, as in pino. */
const levels: Readonly<Record<keyof Logger, number>> = { info: 30, warn: 40, error: 50, fatal: 60 };

/**
 * Creates the log, which writes lines of JSON with exactly the fields of the allow-list.
 * @param destination - default: standard output
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

/** Writes the buffered lines synchronously, because the process is about to exit. Ignores a failed write. */
function flushSync(destination: Destination): void {
  try {
    destination.flushSync?.();
  } catch {
    // The log itself has failed, so the failure cannot be logged.
  }
}

const STANDARD_OUTPUT = 1;
/** Maximum size of the lines that wait for a slow reader. At this size, new lines are lost. */
const MAX_UNWRITTEN_BYTES = 16 * 1024 * 1024;

/** Opens standard output for the log. */
function openStandardOutput(): Destination {
  return fstatSync(STANDARD_OUTPUT).isFile() ? openFile() : openPipe();
}

/**
 * Opens standard output that is a file. Lines that cannot be written are lost, for example if the disk is full. pino's
 * `flushSync` repeats a failed write forever, so a process with a full disk would never exit.
 */
function openFile(): Destination {
  return {
    write(line) {
      try {
        writeSync(STANDARD_OUTPUT, line);
      } catch {
        // The log itself has failed, so the failure cannot be logged.
      }
    },
  };
}

/** Opens standard output that is a pipe, a socket or a terminal. A slow reader does not delay the gateway. */
function openPipe(): Destination {
  const stream = pino.destination({
    fd: STANDARD_OUTPUT,
    sync: false,
    // With a minimum length of 0, `flush` would not wait until the lines are written.
    minLength: 1,
    maxLength: MAX_UNWRITTEN_BYTES,
  });
  return {
    write: (line) => void stream.write(line),
    flushSync: () => stream.flushSync(),
    // The error of `flush` is ignored: `flush` calls fsync, which fails for a pipe even after a successful write.
    flush: () => new Promise((resolve) => stream.flush(() => resolve())),
  };
}
