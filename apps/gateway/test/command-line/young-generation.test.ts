import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** How many MB new objects had at most in a process that Node starts so. */
function mostMegabytes(execArgv: readonly string[], nodeOptions = ""): Promise<number> {
  return printedBy("new-objects.ts", execArgv, nodeOptions);
}

/** The number that a program beside this file prints. */
async function printedBy(
  name: string,
  execArgv: readonly string[],
  nodeOptions = "",
): Promise<number> {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const env = { ...process.env, NODE_OPTIONS: nodeOptions };
  const { stdout } = await promisify(execFile)(process.execPath, [...execArgv, program], { env });
  return Number(stdout);
}

it("the memory for new objects grows to the gateway's limit", async () => {
  // V8 may add a page of 256 kB for a moment.
  expect(Math.floor(await mostMegabytes([]))).toBe(32);
});

it.each(["--max-semi-space-size=64", "--max_semi_space_size=64"])(
  "%s of an operator is respected, on the command line and in NODE_OPTIONS",
  async (option) => {
    expect(await mostMegabytes([option])).toBeGreaterThan(32);
    expect(await mostMegabytes([], option)).toBeGreaterThan(32);
  },
);

it("objects are new at first, also where earlier ones were needed for long", async () => {
  // V8 decides about the old generation once the memory for new objects has its full size.
  expect(await printedBy("short-lived-objects.ts", ["--max-semi-space-size=1"])).toBeLessThan(3);
});
