import { setTimeout } from "node:timers/promises";
import { endOnUncaught } from "../../../src/operator/logging/fatal-errors.ts";
import { createLogger } from "../../../src/operator/logging/logger.ts";

/** A process that fails as its first argument says, with words that must not be printed. */
const words = "no customer with AFM 123456783";

const ways: Readonly<Record<string, () => unknown>> = {
  throws: () => process.nextTick(failToParse),
  rejects: () => Promise.reject(new RangeError(words)),
  "rejects with a text": () => Promise.reject(words),
};

function failToParse(): never {
  throw new TypeError(words, { cause: new Error(words) });
}

endOnUncaught(createLogger());
void ways[process.argv[2] ?? ""]?.();
// It would live on for long.
await setTimeout(30_000);
