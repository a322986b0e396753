import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  configureGarbageCollection,
  oldGrowthPercent,
} from "../../src/command-line/garbage-collection.ts";

// V8 does not tell which flags are set, and when it collects depends on how busy the machine is.
const flags = vi.hoisted((): string[] => []);
vi.mock("node:v8", async (original) => ({
  ...(await original<typeof import("node:v8")>()),
  setFlagsFromString: (flag: string) => void flags.push(flag),
}));
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

describe("the growth of old objects", () => {
  afterEach(() => {
    flags.length = 0;
    process.execArgv = execArgv;
  });

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
