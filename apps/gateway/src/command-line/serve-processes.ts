import { endOnUncaught } from "../logging/fatal-errors.ts";
import { createLogger } from "../logging/logger.ts";
import { supervise } from "../processes/supervisor.ts";

/**
 * Serves with so many processes until SIGTERM or SIGINT; ends with code 0 when all have finished what was in flight.
 * @throws ConfigurationError without PostgreSQL
 */
export async function serveWith(processes: number): Promise<void> {
  const logger = createLogger();
  endOnUncaught(logger);
  process.exit(await supervise(processes, process.env, logger));
}
