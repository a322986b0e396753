import { setImmediate } from "node:timers/promises";
import { endOnUncaught } from "../../../src/operator/logging/fatal-errors.ts";
import { createLogger } from "../../../src/operator/logging/logger.ts";

/** Logs a number of lines in one turn of the event loop, then ends as its second argument says. */
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

/** Does the work when the parent process asks for it, which proves that the event loop runs. */
async function whenAsked(work: () => unknown): Promise<void> {
  process.once("message", work);
  // By then the last lines are written.
  await setImmediate();
  process.send?.("its event loop goes on");
}

const ends: Readonly<Record<string, () => unknown>> = {
  "by itself": () => undefined,
  "with process.exit": () => process.exit(0),
  "with an uncaught error": () => process.nextTick(fail),
  "with process.exit when it is asked to": () => whenAsked(() => process.exit(0)),
  "in order when it is asked to": () =>
    whenAsked(async () => {
      await logger.flush();
      process.exit(0);
    }),
};

const chosen = ends[end];
if (chosen === undefined) throw new TypeError(`A process cannot end like this: ${end}`);
logLines();
await chosen();
