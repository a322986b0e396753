import { setImmediate } from "node:timers/promises";
import { endOnUncaught } from "../../../src/operator/logging/fatal-errors.ts";
import { createLogger } from "../../../src/operator/logging/logger.ts";

/**
 * A program that logs a number of lines in one turn of the event loop, and then ends in the way that the second
 * argument names.
 */
const [, , lines = "0", end = ""] = process.argv;

const logger = createLogger();
endOnUncaught(logger);

function logLines(): void {
  for (let number = 0; number < Number(lines); number += 1)
    logger.info({ status: 200, durationMs: number }, "request");
}

function fail(): never {
  throw new TypeError("wrong");
}

/**
 * Does the work when the parent process sends a message. The arrival of the message proves that the event loop runs.
 */
async function whenAsked(work: () => unknown): Promise<void> {
  process.once("message", work);
  // After this turn of the event loop, the last lines are written.
  await setImmediate();
  process.send?.("the event loop runs");
}

const ends: Readonly<Record<string, () => unknown>> = {
  "by itself": () => undefined,
  "with process.exit": () => process.exit(0),
  "with an uncaught error": () => process.nextTick(fail),
  "with process.exit after a message": () => whenAsked(() => process.exit(0)),
  "with a flush after a message": () =>
    whenAsked(async () => {
      await logger.flush();
      process.exit(0);
    }),
};

const chosen = ends[end];
if (chosen === undefined) throw new TypeError(`A process cannot end like this: ${end}`);
logLines();
await chosen();
