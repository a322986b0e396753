import type { ScheduledTask } from "./operator/logging/fields.ts";
import type { Logger } from "./operator/logging/logger.ts";
import { StoreUnavailableError } from "./store/faults.ts";
import type { Time } from "./time.ts";

/**
 * Runs a task repeatedly, and returns the function that stops the task. Logs the first of consecutive failures, and the
 * first success after a failure.
 */
export type Scheduler = (
  task: ScheduledTask,
  milliseconds: number,
  work: () => Promise<void>,
) => () => Promise<void>;

/** Creates the scheduler of the gateway's repeated tasks. */
export function createScheduler({
  logger,
  time,
}: {
  readonly logger: Logger;
  readonly time: Time;
}): Scheduler {
  return (task, milliseconds, work) => {
    let failing = false;
    return time.every(milliseconds, async () => {
      try {
        await work();
        if (failing) logger.info({ task }, "a scheduled task works again");
        failing = false;
      } catch (error) {
        if (!failing)
          logger.error({ task, failure: taskFailureOf(error) }, "a scheduled task fails");
        failing = true;
      }
    });
  };
}

/** Returns a text about an error for the log, without the error's message, which may quote values. */
function taskFailureOf(error: unknown): string {
  if (error instanceof StoreUnavailableError) return error.detail;
  return error instanceof Error ? error.constructor.name : typeof error;
}
