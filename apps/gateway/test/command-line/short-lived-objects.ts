/** A process that keeps many objects, and drops as many of the same kind: it prints how many MB of these became old. */
import { getHeapSpaceStatistics } from "node:v8";
import { configureGarbageCollection } from "../../src/command-line/garbage-collection.ts";

const KEPT = 200_000;
const DROPPED = 100_000;

configureGarbageCollection(process.env);
const create = (index: number): object => ({ index, list: [index, index] });
const kept: object[] = [];
for (let index = 0; index < KEPT; index += 1) kept.push(create(index));
const before = oldBytes();
const last: object[] = [];
for (let index = 0; index < DROPPED; index += 1) last[index % 10] = create(index);
process.stdout.write(String((oldBytes() - before) / 1_048_576));

function oldBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space");
  return space?.space_used_size ?? Number.NaN;
}
