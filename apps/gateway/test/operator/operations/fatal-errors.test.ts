import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("dying-process.ts", import.meta.url));

/** Runs a process that fails in the given way. */
function run(way: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, way], (error, stdout, stderr) =>
      resolve({ code: error?.code, stdout, stderr }),
    );
  });
}

describe("the log of a process with an uncaught error", () => {
  it.each([
    ["throws an error", "TypeError", /at failToParse .*dying-process\.ts:\d+:\d+/],
    ["rejects a promise", "RangeError", /dying-process\.ts:\d+:\d+/],
    ["rejects a promise with a text", "string", /^undefined$/],
  ])(
    "a process that %s logs the error's kind and places in code without the error's text, and exits with code 1",
    async (way, kind, place) => {
      const { code, stderr, stdout } = await run(way);
      expect(code).toBe(1);
      const line: { failure?: { places?: string[] } } = JSON.parse(stdout);
      expect(line).toMatchObject({ level: 60, msg: "the process failed", failure: { kind } });
      expect(String(line.failure?.places?.[0])).toMatch(place);
      expect(stdout + stderr).not.toMatch(/customer|123456783/);
    },
  );
});
