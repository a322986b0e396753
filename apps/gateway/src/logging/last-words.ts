import { failureOf } from "./failure.ts";
import type { Logger } from "./logger.ts";

/**
 * Ends the process with code 1 when something fails that nobody catches: what it holds is not to be trusted any more.
 * Node itself would print the error's words, which may quote a customer; the log gets its kind and places.
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
