import { endOnUncaught } from "../logging/fatal-errors.ts";
import { createLogger } from "../logging/logger.ts";
import { supervise } from "../processes/supervisor.ts";

/** So long the supervisor waits at its end for a reader of the log, in milliseconds: it writes few lines itself. */
const LONGEST_FLUSH_MS = 10_000;

/**
 * Serves with so many processes until SIGTERM or SIGINT; ends with code 0 when all have finished what was in flight.
 * @throws ConfigurationError without PostgreSQL
 */
export async function serveWith(processes: number): Promise<void> {
  const logger = createLogger();
  endOnUncaught(logger);
  const code = await supervise(processes, process.env, logger);
  setTimeout(() => process.exit(code), LONGEST_FLUSH_MS).unref();
  await logger.flush();
  process.exit(code);
}
