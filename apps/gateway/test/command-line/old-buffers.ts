/** A process that drops buffers once they are old: it prints how many MB of them there were at most. */
import { setImmediate } from "node:timers/promises";
import {
  collectAfterStart,
  configureGarbageCollection,
} from "../../src/command-line/garbage-collection.ts";

const OBJECTS = 300_000;
const BUFFERS = 3_000;
const BUFFER_BYTES = 30_000;
/** So many are live. */
const LIVE = 100;
/** Each buffer comes with an array of so many numbers, which fills the memory for new objects. */
const NUMBERS = 4_000;

configureGarbageCollection(process.env);
const objects = Array.from({ length: OBJECTS }, (_, index) => ({ index, list: [index] }));
collectAfterStart();
const live: Buffer[] = [];
let most = 0;
for (let index = 0; index < BUFFERS; index += 1) {
  live[index % LIVE] = Buffer.alloc(BUFFER_BYTES);
  objects[index] = { index, list: Array.from({ length: NUMBERS }, (_, n) => n).slice(-1) };
  // V8 finishes a collection between two turns of the event loop.
  if (index % 20 === 0) await setImmediate();
  most = Math.max(most, process.memoryUsage().arrayBuffers);
}
process.stdout.write(String(most / 1_048_576));
