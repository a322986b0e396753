import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { oldGrowthPercent } from "../../src/command-line/garbage-collection.ts";

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

it("the memory for new objects grows to the gateway's limit", async () => {
  // V8 may add a page of 256 kB for a moment.
  expect(Math.floor(await mostMegabytes([]))).toBe(32);
});

it.each(["--max-semi-space-size=64", "--max_semi_space_size=64"])(
  "%s of an operator is respected, on the command line and in NODE_OPTIONS",
  async (option) => {
    expect(await mostMegabytes([option])).toBeGreaterThan(48);
    expect(await mostMegabytes([], option)).toBeGreaterThan(48);
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

/** How often all garbage is collected in a process that Node starts so, while it replaces its old objects. */
function fullCollections(execArgv: readonly string[]): Promise<number> {
  return printedBy(new URL("old-objects.ts", import.meta.url), execArgv);
}

it("all garbage is collected more often than V8 does by itself, or as often as the operator wants", async () => {
  // 7; 4 without the gateway's limit; 21 to 28.
  const own = await fullCollections([]);
  expect(own).toBeGreaterThan(5);
  expect(own).toBeLessThan(15);
  expect(await fullCollections(["--heap_growing_percent=20"])).toBeGreaterThan(15);
});

it.each([
  { percent: 50, sinceMs: 500, next: 50 },
  { percent: 50, sinceMs: 499, next: 200 },
  { percent: 200, sinceMs: 1_999, next: 200 },
  { percent: 200, sinceMs: 2_000, next: 50 },
])(
  "old objects may grow further while full collections are frequent: $percent %, $sinceMs ms",
  ({ percent, sinceMs, next }) => {
    expect(oldGrowthPercent(percent, sinceMs)).toBe(next);
  },
);
