import fc from "fast-check";
// @boundaries-ignore the fast test of the gateway has the generator, and no package exports it
import type { HostileShape } from "../../../../apps/gateway/test/dialects/hostile-shapes.ts";
// @boundaries-ignore the fast test of the gateway has the readers of messages, and no package exports them
import { dialects, startTarget } from "../../../../apps/gateway/test/dialects/hostile-targets.ts";

const MESSAGES_PER_DIALECT = 2_000;
const SEED = 41;
const SMALL_MESSAGE_LENGTH = 30_000;
/**
 * Minimum processor time, in milliseconds, of a usable measurement: the clock and the garbage collection distort
 * shorter times.
 */
const MIN_MEASURED_MS = 4;
/** Maximum ratio of the processor times of a message and a message of half its size. */
const MAX_TIME_RATIO = 2.5;

/** The growth of the processor time with the size of a dialect's hostile messages. */
export interface HostileCost {
  readonly dialect: string;
  /** The number of messages whose processor time was long enough to measure. */
  readonly measured: number;
  /** The largest ratio of the processor times of a message and a message of half its size. */
  readonly largest: number;
  readonly longestMs: number;
  /** The beginnings of the messages whose processor time grows too fast. */
  readonly slow: readonly string[];
}

/** Lets the gateway's code read 2,000 generated messages of each dialect in two sizes. */
export async function hostileCosts(
  progress: (text: string) => void,
): Promise<readonly HostileCost[]> {
  const costs: HostileCost[] = [];
  for (const dialect of dialects) {
    progress(`hostile messages: ${dialect}`);
    const target = await startTarget(dialect);
    try {
      costs.push({ dialect, ...(await costOf(target.shapes, target.read)) });
    } finally {
      await target.close();
    }
  }
  return costs;
}

async function costOf(
  shapes: fc.Arbitrary<HostileShape>,
  read: (message: string) => Promise<number>,
): Promise<Omit<HostileCost, "dialect">> {
  const times = async (shape: HostileShape, readings: number): Promise<[number, number]> => {
    const longer = await processorMs(() => read(shape(2 * SMALL_MESSAGE_LENGTH)), readings);
    if (longer < MIN_MEASURED_MS) return [1, longer];
    return [
      longer / (await processorMs(() => read(shape(SMALL_MESSAGE_LENGTH)), readings)),
      longer,
    ];
  };
  let [largest, longestMs, measured] = [1, 0, 0];
  const slow: string[] = [];
  for (const shape of fc.sample(shapes, { numRuns: MESSAGES_PER_DIALECT, seed: SEED })) {
    let [ratio, longer] = await times(shape, 2);
    // Another process may have disturbed one of the two measurements.
    for (let more = 0; more < 4 && ratio > MAX_TIME_RATIO; more += 1)
      ratio = Math.min(ratio, (await times(shape, 5))[0]);
    if (longer >= MIN_MEASURED_MS) measured += 1;
    largest = Math.max(largest, ratio);
    longestMs = Math.max(longestMs, longer);
    if (ratio > MAX_TIME_RATIO) slow.push(shape(60).slice(0, 120));
  }
  return { measured, largest, longestMs, slow };
}

/** Returns the processor time of the fastest of several readings, in milliseconds. */
async function processorMs(read: () => Promise<unknown>, readings: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < readings; reading += 1) {
    const before = process.cpuUsage();
    await read();
    const { system, user } = process.cpuUsage(before);
    least = Math.min(least, (system + user) / 1_000);
  }
  return least;
}
