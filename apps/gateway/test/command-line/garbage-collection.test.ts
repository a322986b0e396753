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

/**
 * How many percent of its old objects a process that Node starts so replaces until all garbage is collected. V8 marks objects
 * in threads of its own, which may be late but never early: the smallest of three counts.
 */
async function replacedPercent(execArgv: readonly string[]): Promise<number> {
  const program = new URL("old-objects.ts", import.meta.url);
  const all = [];
  for (let time = 0; time < 3; time += 1) all.push(await printedBy(program, execArgv));
  return Math.min(...all);
}

it("all garbage is collected earlier than V8 does by itself, unless the operator says otherwise", async () => {
  // 180 to 204, and 400 to 440 without the gateway's limit.
  expect(await replacedPercent([])).toBeLessThan(300);
  // 825 to 843.
  expect(await replacedPercent(["--heap_growing_percent=300"])).toBeGreaterThan(500);
});

it.each([
  { percent: 50, sinceMs: 500, next: 50 },
  { percent: 50, sinceMs: 499, next: 0 },
  { percent: 0, sinceMs: 1_999, next: 0 },
  { percent: 0, sinceMs: 2_000, next: 50 },
])(
  "old objects may grow further while full collections are frequent: $percent %, $sinceMs ms",
  ({ percent, sinceMs, next }) => {
    expect(oldGrowthPercent(percent, sinceMs)).toBe(next);
  },
);
