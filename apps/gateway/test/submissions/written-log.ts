import { createLogger, type Logger } from "../../src/operator/logging/logger.ts";

/** A log whose lines a test reads, without their times. */
export interface TestLog {
  readonly logger: Logger;
  /** Returns the lines of the log since the last call. */
  readonly read: () => readonly Readonly<Record<string, unknown>>[];
}

/** Creates a log. */
export function writeLog(): TestLog {
  let lines: Readonly<Record<string, unknown>>[] = [];
  const logger = createLogger({
    write(text: string) {
      const { time: _, ...line } = JSON.parse(text) as Record<string, unknown>; // the logger writes objects
      lines.push(line);
    },
  });
  return {
    logger,
    read() {
      const written = lines;
      lines = [];
      return written;
    },
  };
}
