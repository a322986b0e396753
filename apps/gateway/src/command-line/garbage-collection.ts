import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * The limit of V8's memory for new objects, in bytes. By itself it grows up to 128 MB on a machine with 24 GB. Measured with
 * 50 requests in flight: with 32 MB instead of 64 MB, a request takes 1 % more processor time, and the gateway 202 MB of memory
 * instead of 227 for lookups from memory, 304 instead of 395 for quotes; with 16 MB, it takes 9 % more processor time. While
 * collections take much time, because each copies the requests that wait, the limit is higher: with 900 connections that always have
 * a request, of which about 128 are in progress, a quote takes 151 µs of processor time instead of 179 with 64 MB (medians of 11
 * interleaved rounds, with a weight of 0.2 of the newest collection).
 */
const MOST_BYTES = { usual: 32 * 1_048_576, busy: 128 * 1_048_576 } as const;
/** The part of the limit from which it does not grow: V8 doubles it, and it may be a page less than the limit. */
const GROWS_BELOW = 0.75;
/**
 * The process is busy once collections take the first share of the time, until they take less than the second. There are two because
 * the larger limit makes the share smaller. With 50 requests in flight, collections take 4 to 9 % of the time, and with hundreds 12 % and more.
 */
const BUSY_SHARE = { from: 0.12, until: 0.06 } as const;
/**
 * The weight of the newest collection in the moving average of the share: about the last 20 decide. With 0.2, one that the machine
 * interrupted, 5.8 ms of 14.7, was enough for memory to grow, and V8 keeps what it has grown to until the gateway is nearly idle.
 */
const NEWEST_COUNTS = 0.05;
/** The largest share that one collection counts as. While the average is below 10 %, one that takes long is not enough. */
const MOST_OF_ONE = 0.5;

/** With this value of the flag, V8 chooses by itself. */
const V8_CHOOSES = 0;

/**
 * By how many percent old objects grow until V8 collects all garbage. By itself it chooses up to 300, so that a
 * gateway under load has more garbage than objects: with 50 connections 234 to 261 MB instead of 203 to 219, for 2 % less
 * processor time. With 400 requests in flight most objects become old: 50 percent would mean two to five full collections a
 * second, which take up to 15 % of the processor time.
 */
const OLD_GROWTH = { usual: 50, busy: V8_CHOOSES } as const;
/**
 * The gateway is busy once the last ten times between two full collections are shorter than this on average, for each MB of old
 * objects: one of 30 MB took 40 to 60 ms on one core. Ten, because up to three collections follow each other quickly when
 * requests come after a quiet time: V8's memory for new objects is small then, so more objects become old.
 */
const BUSY_FULL = { times: 10, averageBelowMsPerMb: 25 } as const;
/** The time between two full collections from which a row of them ends, in milliseconds for each MB of old objects. */
const APART_MS_PER_MB = 75;
/**
 * The time between two full collections, in milliseconds for each MB of old objects, from which the gateway is no longer busy.
 * V8 lets old objects grow up to six times as far, so 25 ms can become 150 with the same load.
 */
const USUAL_FROM_MS_PER_MB = 175;

/** How far old objects may grow, and the times between the last full collections that follow each other quickly. */
export interface OldGrowth {
  /** By how many percent old objects may grow until all garbage is collected again. */
  readonly percent: number;
  /** In milliseconds for each MB of old objects. */
  readonly times: readonly number[];
}

/**
 * How far old objects may grow after another full collection.
 * @param msPerMb - the time since the one before, in milliseconds for each MB of old objects
 */
export function nextOldGrowth({ percent, times }: OldGrowth, msPerMb: number): OldGrowth {
  if (msPerMb >= USUAL_FROM_MS_PER_MB) return { percent: OLD_GROWTH.usual, times: [] };
  if (msPerMb >= APART_MS_PER_MB) return { percent, times: [] };
  const newest = [...times, msPerMb].slice(-BUSY_FULL.times);
  const average = newest.reduce((sum, time) => sum + time, 0) / newest.length;
  const isBusy = newest.length === BUSY_FULL.times && average < BUSY_FULL.averageBelowMsPerMb;
  return { percent: isBusy ? OLD_GROWTH.busy : percent, times: newest };
}

/** Configures how V8 stores objects and when it collects garbage. What the operator has set for Node is respected. */
export function configureGarbageCollection(
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const options = [...process.execArgv, environment.NODE_OPTIONS].join(" ").replaceAll("_", "-");
  configureNewObjects(options.includes("semi-space-size"));
  if (!options.includes("heap-growing-percent")) configureOldObjects();
}

/**
 * Collects what the start no longer needs: objects, the bytecode of functions that run only once, and empty pages. It is to
 * be called before the gateway listens, because it blocks the event loop for about 80 ms. A gateway at rest then has 110 MB
 * instead of 114.
 */
export function collectAfterStart(): void {
  setFlagsFromString("--expose-gc");
  // V8 defines the function only in contexts that are created after the flag was set.
  const collect: NodeJS.GCFunction = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/**
 * V8 does not predict the lifetime of objects. By default, it creates an object in the old generation if earlier objects
 * from the same place in the code were needed for long. Everything that the object refers to, such as an insurer's answer,
 * then stays in memory until all garbage is collected. Without the prediction, a list of 29 kB takes 21 % less processor
 * time. V8 still creates some objects in the old generation, such as the getters of object literals.
 *
 * The memory for new objects grows up to about a limit: its size is read after a collection, which may have passed it by
 * one step. V8 reads the limit of its own only when a process starts, but the factor of its growth each time; it may
 * shrink when the gateway is idle, and must grow again then.
 */
function configureNewObjects(hasOwnLimit: boolean): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
  const setFactor = flagSetter("semi-space-growth-factor", 2);
  if (hasOwnLimit) return;
  let last = 0;
  let share = 0;
  let isBusy = false;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (kindOf(entry) !== constants.NODE_PERFORMANCE_GC_MINOR) continue;
      const { size } = spaceOf("new_space");
      const newest = Math.min(entry.duration / (entry.startTime - last), MOST_OF_ONE);
      // Smaller memory means that the gateway has started or was quiet: the average begins anew. Until the memory has grown, it
      // is collected more often; with lists, that took 9 % of the time instead of 6.
      share = size < GROWS_BELOW * MOST_BYTES.usual ? 0 : share + NEWEST_COUNTS * (newest - share);
      isBusy = share >= (isBusy ? BUSY_SHARE.until : BUSY_SHARE.from);
      const mostBytes = isBusy ? MOST_BYTES.busy : MOST_BYTES.usual;
      setFactor(size < GROWS_BELOW * mostBytes ? 2 : 1);
      last = entry.startTime;
    }
  }).observe({ entryTypes: ["gc"] });
}

/**
 * Lets old objects grow by half until V8 collects all garbage, and as far as V8 chooses while full collections are frequent.
 * Before, two of them within half a second were enough, and so were the first requests after a quiet time. Measured with 50
 * connections: with lists of 29 kB, the gateway then had 239 to 262 MB instead of 184 to 196, because V8 lets buffers grow as
 * far as old objects. When PDFs of 52 kB came in groups with pauses between them, one took 300 µs of processor time, not 200.
 */
function configureOldObjects(): void {
  let growth: OldGrowth = { percent: OLD_GROWTH.usual, times: [] };
  const setPercent = flagSetter("heap-growing-percent", growth.percent);
  let last = Number.NEGATIVE_INFINITY;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (kindOf(entry) !== constants.NODE_PERFORMANCE_GC_MAJOR) continue;
      const oldMegabytes = spaceOf("old_space").used / 1_048_576;
      growth = nextOldGrowth(growth, (entry.startTime - last) / oldMegabytes);
      setPercent(growth.percent);
      last = entry.startTime;
    }
  }).observe({ entryTypes: ["gc"] });
}

/** Sets a flag of V8, and returns what sets it to another value. */
function flagSetter(name: string, first: number): (value: number) => void {
  let current = first;
  setFlagsFromString(`--${name}=${first}`);
  return (value) => {
    if (value !== current) setFlagsFromString(`--${name}=${value}`);
    current = value;
  };
}

/** The bytes of one of V8's spaces, and those that objects use. */
function spaceOf(name: string): { readonly size: number; readonly used: number } {
  const space = getHeapSpaceStatistics().find(({ space_name: other }) => other === name);
  return { size: space?.space_size ?? 0, used: space?.space_used_size ?? 0 };
}

/** The kind of collection that an entry of the type `gc` reports. */
function kindOf(entry: PerformanceEntry): number {
  // Node's types do not name what an entry of a collection has.
  return (entry as PerformanceEntry & { readonly detail: { readonly kind: number } }).detail.kind;
}
