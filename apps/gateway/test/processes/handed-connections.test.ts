import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("stopped-process.ts", import.meta.url));

/** How four calls ended that were sent while one of so many processes was stopped, and then killed. */
async function endsWith(processes: number): Promise<readonly unknown[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@insurance-gateway/source", program, String(processes)],
    // A call that nobody answers would never end.
    { timeout: 20_000 },
  );
  return JSON.parse(stdout);
}

describe("the connections that were handed to a stopped process, when it is killed", () => {
  it("are served by another process", async () => {
    expect(await endsWith(2)).toEqual([200, 200, 200, 200]);
  });

  it("are closed when no other process serves", async () => {
    expect(await endsWith(1)).toEqual(["ECONNRESET", "ECONNRESET", "ECONNRESET", "ECONNRESET"]);
  });
});
