import { execFile } from "node:child_process";
import { constants } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";

// V8 does not tell which flags are set, and when it collects depends on how busy the machine is.
const flags = vi.hoisted((): string[] => []);
const newSpace = vi.hoisted(() => ({ bytes: 0 }));
const oldSpace = vi.hoisted(() => ({ bytes: 25 * 1_048_576 }));
type Observe = (list: { readonly getEntries: () => readonly object[] }) => void;
const observers = vi.hoisted((): Observe[] => []);
vi.mock("node:v8", async (original) => ({
  ...(await original<typeof import("node:v8")>()),
  setFlagsFromString: (flag: string) => void flags.push(flag),
  getHeapSpaceStatistics: () => [
    { space_name: "new_space", space_size: newSpace.bytes },
    { space_name: "old_space", space_used_size: oldSpace.bytes },
  ],
}));
vi.mock("node:perf_hooks", async (original) => ({
  ...(await original<typeof import("node:perf_hooks")>()),
  PerformanceObserver: class {
    constructor(observe: Observe) {
      observers.push(observe);
    }
    observe(): void {}
  },
}));
// Another test of the same worker may have loaded it without these mocks.
vi.resetModules();
const { configureGarbageCollection, nextOldGrowth } = await import(
  "../../src/command-line/garbage-collection.ts"
);
const { execArgv } = process;

/** How many MB new objects had at most in a process that Node starts so. */
function mostMegabytes(execArgv: readonly string[], nodeOptions = ""): Promise<number> {
  return printedBy(new URL("new-objects.ts", import.meta.url), execArgv, nodeOptions);
}

/** The number that a program prints. */
async function printedBy(
  program: URL,
  execArgv: readonly string[],
  nodeOptions = "",
): Promise<number> {
  const env = { ...process.env, NODE_OPTIONS: nodeOptions };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...execArgv, fileURLToPath(program)],
    { env },
  );
  return Number(stdout);
}

afterEach(() => {
  observers.length = 0;
  flags.length = 0;
  process.execArgv = execArgv;
});

describe("the memory for new objects", () => {
  /** Reports collections to what observes them; each lasts so many of 100 milliseconds. */
  function collect(...durations: readonly number[]): readonly string[] {
    configureGarbageCollection({});
    flags.length = 0;
    return report(0, durations);
  }

  /** Reports collections after so many earlier ones. */
  function report(earlier: number, durations: readonly number[]): readonly string[] {
    const reported = durations.flatMap((duration, number) => [
      {
        detail: { kind: constants.NODE_PERFORMANCE_GC_MINOR },
        startTime: (earlier + number + 1) * 100,
        duration,
      },
      // A collection of all garbage does not count.
      {
        detail: { kind: constants.NODE_PERFORMANCE_GC_MAJOR },
        startTime: (earlier + number + 1) * 100 + 1,
        duration: 90,
      },
    ]);
    for (const observer of observers) observer({ getEntries: () => reported });
    return flags.filter((flag) => flag.includes("semi-space"));
  }

  it.each([
    { percent: 11, changes: [1] },
    { percent: 13, changes: [1, 2] },
  ])("grows beyond the limit from 12 % on: $percent %, $changes", ({ changes, percent }) => {
    newSpace.bytes = 32 * 1_048_576;
    expect(collect(...Array<number>(80).fill(percent))).toEqual(
      changes.map((by) => `--semi-space-growth-factor=${by}`),
    );
  });

  it.each([
    { later: 7, changes: [1, 2] },
    { later: 5, changes: [1, 2, 1] },
  ])(
    "grows beyond the limit when several take 14 % of the time, and what follows when they take $later %: $changes",
    ({ changes, later }) => {
      newSpace.bytes = 32 * 1_048_576;
      const durations = [...Array<number>(60).fill(14), ...Array<number>(80).fill(later)];
      expect(collect(...durations)).toEqual(
        changes.map((by) => `--semi-space-growth-factor=${by}`),
      );
    },
  );

  it.each([
    { took: "longer than the time since the one before", longest: 300 },
    { took: "most of that time", longest: 90 },
  ])("does not grow beyond the limit because one collection took $took", ({ longest }) => {
    newSpace.bytes = 32 * 1_048_576;
    const usual = Array<number>(80).fill(9);
    expect(collect(...usual, longest, ...usual)).toEqual(["--semi-space-growth-factor=1"]);
  });

  it("does not grow beyond the limit because collections took much time while it was smaller", () => {
    newSpace.bytes = 2 * 1_048_576;
    expect(collect(...Array<number>(80).fill(30))).toEqual([]);
    newSpace.bytes = 32 * 1_048_576;
    expect(report(80, [9])).toEqual(["--semi-space-growth-factor=1"]);
  });

  it("does not grow beyond the limit after a quiet time because it was busy before", () => {
    newSpace.bytes = 32 * 1_048_576;
    collect(...Array<number>(80).fill(30));
    newSpace.bytes = 2 * 1_048_576;
    report(80, [9]);
    newSpace.bytes = 32 * 1_048_576;
    flags.length = 0;
    expect(report(81, [9])).toEqual(["--semi-space-growth-factor=1"]);
  });

  it("grows up to the limit also while collections take no time", () => {
    newSpace.bytes = 24 * 1_048_576 - 1;
    expect(collect(0, 0)).toEqual([]);
  });

  it("does not grow from a page below the limit, which would be twice as much", () => {
    newSpace.bytes = 32 * 1_048_576 - 262_144;
    expect(collect(0, 0)).toEqual(["--semi-space-growth-factor=1"]);
  });

  const busy = Array<number>(10).fill(50);

  it("grows beyond twice the limit while collections take much time", () => {
    newSpace.bytes = 64 * 1_048_576;
    expect(collect(...busy)).toEqual([1, 2].map((by) => `--semi-space-growth-factor=${by}`));
  });

  it("does not grow beyond four times the limit, however long collections take", () => {
    newSpace.bytes = 128 * 1_048_576 - 262_144;
    expect(collect(...busy)).toEqual(["--semi-space-growth-factor=1"]);
  });

  it("grows beyond the limit in a process that has many objects", async () => {
    // A machine with little memory has a lower limit of V8's own.
    expect(await mostMegabytes([])).toBeGreaterThan(48);
  });
});

it.each(["--max-semi-space-size=64", "--max_semi_space_size=64"])(
  "%s of an operator is respected, on the command line and in NODE_OPTIONS",
  async (option) => {
    expect(await mostMegabytes([option])).toBeGreaterThan(110);
    expect(await mostMegabytes([], option)).toBeGreaterThan(110);
  },
);

it("objects are new at first, also where earlier ones were needed for long", async () => {
  // V8 decides about the old generation once the memory for new objects has its full size.
  expect(
    await printedBy(new URL("short-lived-objects.ts", import.meta.url), [
      "--max-semi-space-size=1",
    ]),
  ).toBeLessThan(3);
});

describe("the growth of old objects", () => {
  it("is half of them until all garbage is collected", () => {
    configureGarbageCollection({});
    expect(flags).toContain("--heap-growing-percent=50");
  });

  it.each(["--heap-growing-percent=300", "--heap_growing_percent=300"])(
    "is what the operator says on the command line: %s",
    (option) => {
      process.execArgv = [...execArgv, option];
      configureGarbageCollection({});
      expect(flags.join()).not.toContain("heap-growing-percent");
    },
  );
});

it("three quick full collections do not let old buffers grow further", async () => {
  // It has 25 to 39 MB of them. Where three quick collections are enough for busy, 56 to 72 on an idle machine.
  expect(
    await printedBy(new URL("old-buffers.ts", import.meta.url), ["--max-semi-space-size=1"]),
  ).toBeLessThan(50);
});

describe("old objects", () => {
  const often = Array<number>(10).fill(24.9);

  it.each([
    { times: often, percent: 0 },
    { times: [2_000, ...often], percent: 0 },
    { times: [23, 26.7, 23, 26.7, 23, 26.7, 23, 26.7, 23, 26.7], percent: 0 },
    { times: [74.9, ...Array<number>(9).fill(19)], percent: 0 },
    { times: [...Array<number>(10).fill(60), ...often], percent: 0 },
    { times: Array<number>(9).fill(3), percent: 50 },
    { times: Array<number>(20).fill(25), percent: 50 },
    { times: [2_000, 3, 3, 3], percent: 50 },
    { times: [...Array<number>(9).fill(7), 175, 7], percent: 50 },
    { times: [75, 3, 3, 3, 75, 3, 3, 3, 75, 3, 3, 3], percent: 50 },
    { times: [...often, 174.9, 174.9], percent: 0 },
    { times: [...often, 175], percent: 50 },
  ])(
    "may grow by $percent % after full collections so many ms apart for each MB: $times",
    (row) => {
      const last = row.times.reduce(nextOldGrowth, { percent: 50, times: [] });
      expect(last.percent).toBe(row.percent);
    },
  );

  it.each([
    { megabytes: 25, changes: ["--heap-growing-percent=0"] },
    { megabytes: 20, changes: [] },
  ])(
    "may grow further after eleven quick full collections of $megabytes MB, until these are rare: $changes",
    ({ changes, megabytes }) => {
      oldSpace.bytes = megabytes * 1_048_576;
      configureGarbageCollection({});
      const collectAt = (...times: readonly number[]): readonly string[] => {
        flags.length = 0;
        const entries = times.map((startTime) => ({
          detail: { kind: constants.NODE_PERFORMANCE_GC_MAJOR },
          startTime,
          duration: 10,
        }));
        for (const observer of observers) observer({ getEntries: () => entries });
        return [...flags];
      };
      // The first has none before it.
      expect(collectAt(...Array.from({ length: 10 }, (_, number) => (number + 1) * 500))).toEqual(
        [],
      );
      expect(collectAt(5_500)).toEqual(changes);
      expect(collectAt(60_000)).toEqual(changes.map(() => "--heap-growing-percent=50"));
    },
  );
});
