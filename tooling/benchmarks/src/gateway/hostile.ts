import fc from "fast-check";
// @boundaries-ignore the fast test of the gateway has the generator, and no package exports it
import {
  dialects,
  type HostileShape,
  startTarget,
} from "../../../../apps/gateway/test/dialects/hostile-shapes.ts";

const SHAPES = 2_000;
const SEED = 41;
const CHARACTERS = 30_000;
/** Shorter times are those of the clock and the garbage collection, not of the message. */
const LEAST_MS = 4;
/** The maximum of the ratio of processor times for a message of twice the size. */
const MOST_RATIO = 2.5;

/** How the processor time of a dialect's hostile messages grows with their size. */
export interface HostileCost {
  readonly dialect: string;
  /** How many messages took long enough to be measured. */
  readonly measured: number;
  /** The largest processor time of twice the size divided by that of the size. */
  readonly largest: number;
  readonly longestMs: number;
  /** The beginnings of the messages whose time grows too much. */
  readonly slow: readonly string[];
}

/** Has the gateway's code read 2,000 generated messages of each dialect, each in two sizes. */
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
    const longer = await processorMs(() => read(shape(2 * CHARACTERS)), readings);
    if (longer < LEAST_MS) return [1, longer];
    return [longer / (await processorMs(() => read(shape(CHARACTERS)), readings)), longer];
  };
  let [largest, longestMs, measured] = [1, 0, 0];
  const slow: string[] = [];
  for (const shape of fc.sample(shapes, { numRuns: SHAPES, seed: SEED })) {
    let [ratio, longer] = await times(shape, 2);
    // Other work on the machine may have fallen into one of the sizes.
    for (let more = 0; more < 4 && ratio > MOST_RATIO; more += 1)
      ratio = Math.min(ratio, (await times(shape, 5))[0]);
    if (longer >= LEAST_MS) measured += 1;
    largest = Math.max(largest, ratio);
    longestMs = Math.max(longestMs, longer);
    if (ratio > MOST_RATIO) slow.push(shape(60).slice(0, 120));
  }
  return { measured, largest, longestMs, slow };
}

/** The processor time of the fastest of some readings, in milliseconds. */
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
