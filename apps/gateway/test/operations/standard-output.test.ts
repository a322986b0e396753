import { type ChildProcess, fork, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("logging-process.ts", import.meta.url));
/** More than one write takes, and more than a pipe holds. */
const LINES = 20_000;

function start(end: string, output: StdioOptions[number] & (number | "pipe")): ChildProcess {
  return fork(program, [String(LINES), end], { stdio: ["ignore", output, "inherit", "ipc"] });
}

/** What a process has written to a file when it has ended. */
async function writtenToFile(end: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "gateway-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "log");
  await once(start(end, openSync(path, "a")), "exit");
  return readFileSync(path, "utf8");
}

async function writtenToPipe(end: string): Promise<string> {
  const { stdout } = start(end, "pipe");
  return stdout === null ? "" : text(stdout);
}

/** The numbers of the requests in whole lines, and the other messages. */
function linesOf(written: string): readonly unknown[] {
  expect(written.endsWith("\n")).toBe(true);
  return written
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ durationMs, msg }) => durationMs ?? msg);
}

const numbers = Array.from({ length: LINES }, (_, number) => number);

describe.each([
  ["a file", writtenToFile],
  ["a pipe", writtenToPipe],
])("the log on %s", (_, written) => {
  it.each([
    ["by itself", numbers],
    ["with process.exit", numbers],
    ["with an uncaught error", [...numbers, "the process failed"]],
  ])("has every line, whole and in order, of a process that ends %s", async (end, expected) => {
    expect(linesOf(await written(end))).toEqual(expected);
  });
});

it("a file that cannot be written does not end the process, for example on a full disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "log");
  writeFileSync(path, "");
  // Writing to it fails.
  const child = start("when it is asked to", openSync(path, "r"));
  expect(await once(child, "message")).toEqual(["its event loop goes on", undefined]);
  child.send("end");
  expect(await once(child, "exit")).toEqual([0, null]);
});

describe("a pipe", () => {
  it("that nobody reads does not delay the process, and has every line for its later reader", async () => {
    const child = start("when it is asked to", "pipe");
    const { stdout } = child;
    // By then more is written than the pipe holds, and nobody has read it.
    expect(await once(child, "message")).toEqual(["its event loop goes on", undefined]);
    let written = "";
    for await (const piece of stdout ?? []) {
      written += piece;
      if (written.split("\n").length > LINES) child.send("end");
    }
    expect(linesOf(written)).toEqual(numbers);
  });

  it("whose reader has gone does not keep the process from its end", async () => {
    const child = start("when it is asked to", "pipe");
    child.stdout?.destroy();
    await once(child, "message");
    child.send("end");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
