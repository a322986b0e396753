/** A process with objects for which V8 makes room as it does in the gateway: it prints how many MB, and ends beyond 110. */
import { setImmediate } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { configureGarbageCollection } from "../../src/command-line/garbage-collection.ts";

const ROUNDS = 300;
const OBJECTS = 20_000;
/** So many are live: V8 gives new objects more memory only where some of them stay. */
const LIVE = 1_000_000;

configureGarbageCollection(process.env);
const live: object[] = [];
let most = 0;
for (let round = 0; round < ROUNDS && most <= 110 * 1_048_576; round += 1) {
  for (let index = 0; index < OBJECTS; index += 1)
    live[(round * OBJECTS + index) % LIVE] = { round, index };
  // The end of a collection is reported between two turns of the event loop.
  await setImmediate();
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  most = Math.max(most, space?.space_size ?? 0);
}
process.stdout.write(String(most / 1_048_576));
