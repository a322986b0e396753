import { failureOf } from "./failure.ts";
import type { Logger } from "./logger.ts";

/**
 * Exits the process with code 1 after an uncaught error, because the process's state is no longer reliable. Node would
 * print the error's message, which may quote a customer. The log contains only the error's kind and places.
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
