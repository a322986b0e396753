import { setTimeout } from "node:timers/promises";
import { endOnUncaught } from "../../src/logging/fatal-errors.ts";
import { createLogger } from "../../src/logging/logger.ts";

/** A process that logs so many lines in one turn of the event loop, then ends as its second argument says. */
const [, , lines = "0", end = ""] = process.argv;

const logger = createLogger();
endOnUncaught(logger);
for (let number = 0; number < Number(lines); number += 1)
  logger.info({ status: 200, durationMs: number }, "request");

const ends: Readonly<Record<string, () => unknown>> = {
  "by itself": () => undefined,
  "with process.exit": () => process.exit(0),
  "with an uncaught error": () => process.nextTick(fail),
  "when it is asked to": () => {
    process.once("message", () => process.exit(0));
    return setTimeout(1).then(() => process.send?.("its event loop goes on"));
  },
};

function fail(): never {
  throw new TypeError("wrong");
}

await ends[end]?.();
