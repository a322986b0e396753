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
 * Makes the log: lines of JSON that have exactly the fields of the allow-list, whatever it is given.
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

/** Writes at once what is not written yet: the process is about to end, whether or not its log can be written. */
function flushSync(destination: Destination): void {
  try {
    destination.flushSync?.();
  } catch {
    // There is nowhere to report it.
  }
}

const STANDARD_OUTPUT = 1;
/** Maximum of lines that wait for a slow reader, in bytes. Later lines are lost until it has read some. */
const MAX_UNWRITTEN_BYTES = 16 * 1024 * 1024;

/** Opens standard output for the log. */
function openStandardOutput(): Destination {
  return fstatSync(STANDARD_OUTPUT).isFile() ? openFile() : openPipe();
}

/**
 * A file. Lines that it does not take are lost, as on a full disk. Not pino's destination: its `flushSync` repeats a write that
 * fails for ever, so that a process whose disk is full does not end.
 */
function openFile(): Destination {
  return {
    write(line) {
      try {
        writeSync(STANDARD_OUTPUT, line);
      } catch {
        // There is nowhere to report it.
      }
    },
  };
}

/** A pipe, a socket or a terminal. A slow reader does not delay the gateway. */
function openPipe(): Destination {
  const stream = pino.destination({
    fd: STANDARD_OUTPUT,
    sync: false,
    // With 0, `flush` does not wait.
    minLength: 1,
    maxLength: MAX_UNWRITTEN_BYTES,
  });
  return {
    write: (line) => void stream.write(line),
    flushSync: () => stream.flushSync(),
    // It reports a failure after the last write too, because a pipe cannot be synchronised with a disk.
    flush: () => new Promise((resolve) => stream.flush(() => resolve())),
  };
}
