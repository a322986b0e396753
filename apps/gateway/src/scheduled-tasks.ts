import type { ScheduledTask } from "./logging/fields.ts";
import type { Logger } from "./logging/logger.ts";
import { StoreUnavailableError } from "./store/store.ts";
import type { Time } from "./time.ts";

/** Does something again and again until it is stopped; reports once that it fails, and once that it works again. */
export type Every = (
  task: ScheduledTask,
  milliseconds: number,
  work: () => Promise<void>,
) => () => Promise<void>;

/** Makes the function that schedules tasks. */
export function createEvery({
  logger,
  time,
}: {
  readonly logger: Logger;
  readonly time: Time;
}): Every {
  return (task, milliseconds, work) => {
    let failing = false;
    return time.every(milliseconds, async () => {
      try {
        await work();
        if (failing) logger.info({ task }, "a scheduled task works again");
        failing = false;
      } catch (error) {
        if (!failing) logger.error({ task, failure: failureOf(error) }, "a scheduled task fails");
        failing = true;
      }
    });
  };
}

/** Never an error's message: it may quote values. */
function failureOf(error: unknown): string {
  if (error instanceof StoreUnavailableError) return error.detail;
  return error instanceof Error ? error.constructor.name : typeof error;
}
