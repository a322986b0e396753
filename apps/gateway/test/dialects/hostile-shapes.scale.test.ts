import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { dialects, type HostileShape, startTarget } from "./hostile-shapes.ts";

const SHAPES = 2_000;
const CHARACTERS = 30_000;
/** Shorter times are those of the clock and the garbage collection, not of the message. */
const LEAST_MS = 4;

/** The processor time of the fastest of some readings, in milliseconds. */
async function processorTime(read: () => Promise<unknown>, times: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time += 1) {
    const before = process.cpuUsage();
    await read();
    const { system, user } = process.cpuUsage(before);
    least = Math.min(least, (system + user) / 1_000);
  }
  return least;
}

describe.each(dialects)("2,000 hostile messages in the dialect %s", (dialect) => {
  it("take at most 2.5 times the processor time for twice the size", async () => {
    const target = await startTarget(dialect);
    onTestFinished(target.close);
    const ratioOf = async (shape: HostileShape, times: number): Promise<number> => {
      const [one, two] = [shape(CHARACTERS), shape(2 * CHARACTERS)];
      const longer = await processorTime(() => target.read(two), times);
      return longer < LEAST_MS ? 1 : longer / (await processorTime(() => target.read(one), times));
    };
    let largest = 1;
    let longest = 0;
    let measured = 0;
    const slow: string[] = [];
    for (const shape of fc.sample(target.shapes, { numRuns: SHAPES, seed: 41 })) {
      longest = Math.max(longest, await processorTime(() => target.read(shape(2 * CHARACTERS)), 1));
      let ratio = await ratioOf(shape, 2);
      // Other work on the machine may have fallen into one of the sizes.
      for (let more = 0; more < 4 && ratio > 2.5; more += 1)
        ratio = Math.min(ratio, await ratioOf(shape, 5));
      if (ratio !== 1) measured += 1;
      largest = Math.max(largest, ratio);
      if (ratio > 2.5) slow.push(`${ratio.toFixed(2)} ${shape(60)}`);
    }
    const figures = `${dialect}: ${measured} of ${SHAPES} took ${LEAST_MS} ms or more, the largest ratio is ${largest.toFixed(2)}, the longest time ${longest.toFixed(0)} ms`;
    process.stdout.write(`${figures}\n`);
    expect(slow).toEqual([]);
  });
});
