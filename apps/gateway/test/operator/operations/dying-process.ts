import { setTimeout } from "node:timers/promises";
import { endOnUncaught } from "../../../src/operator/logging/fatal-errors.ts";
import { createLogger } from "../../../src/operator/logging/logger.ts";

/** A program that fails in the way that its first argument names. The error contains words that no log may contain. */
const words = "no customer with AFM 123456783";

const ways: Readonly<Record<string, () => unknown>> = {
  "throws an error": () => process.nextTick(failToParse),
  "rejects a promise": () => Promise.reject(new RangeError(words)),
  "rejects a promise with a text": () => Promise.reject(words),
};

function failToParse(): never {
  throw new TypeError(words, { cause: new Error(words) });
}

endOnUncaught(createLogger());
void ways[process.argv[2] ?? ""]?.();
// If no failure ends the process, the process runs for 30 seconds.
await setTimeout(30_000);
