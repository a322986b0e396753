import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** How many MB new objects had at most in a process that Node starts so. */
async function mostMegabytes(execArgv: readonly string[], nodeOptions = ""): Promise<number> {
  const program = fileURLToPath(new URL("new-objects.ts", import.meta.url));
  const env = { ...process.env, NODE_OPTIONS: nodeOptions };
  const { stdout } = await promisify(execFile)(process.execPath, [...execArgv, program], { env });
  return Number(stdout);
}

it("the memory for new objects grows to the gateway's limit", async () => {
  expect(await mostMegabytes([])).toBe(32);
});

it.each(["--max-semi-space-size=64", "--max_semi_space_size=64"])(
  "%s of an operator is respected, on the command line and in NODE_OPTIONS",
  async (option) => {
    expect(await mostMegabytes([option])).toBeGreaterThan(32);
    expect(await mostMegabytes([], option)).toBeGreaterThan(32);
  },
);
