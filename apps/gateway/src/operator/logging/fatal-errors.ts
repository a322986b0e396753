import { failureOf } from "./failure.ts";
import type { Logger } from "./logger.ts";

/**
 * Ends the process with code 1 after an uncaught error, because its state cannot be trusted any more. Node itself would
 * print the error's message, which may quote a customer; the log gets its type and stack positions.
 */
export function endOnUncaught(logger: Logger): void {
  const end = (error: unknown): void => {
    try {
      logger.fatal({ failure: failureOf(error) }, "the process failed");
    } finally {
      process.exit(1);
    }
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
}
