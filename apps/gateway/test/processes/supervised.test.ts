import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { endOf, programEnvironment } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("supervised-process.ts", import.meta.url));

/** Processes start in this time, also on a busy machine. */
const WAIT = { timeout: 20_000 };

function start(...parameters: readonly string[]): {
  readonly child: ChildProcess;
  readonly ended: ReturnType<typeof endOf>;
  /** What it has printed: its log without levels, times and process ids, and anything else as it is. */
  readonly printed: () => readonly unknown[];
} {
  const child = spawn(
    process.execPath,
    ["--conditions=@insurance-gateway/source", "--no-warnings", program, ...parameters],
    { env: programEnvironment({ DATABASE_URL: "postgres://nobody" }) },
  );
  // Its processes end with it.
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout?.on("data", (text) => (output += text));
  return {
    child,
    ended: endOf(child),
    printed: () =>
      output
        .split("\n")
        .slice(0, -1)
        .map((line) => {
          if (!line.startsWith("{")) return line;
          const { level: _level, pid, time: _time, ...fields } = JSON.parse(line);
          return { ...fields, isNamed: pid > 0 };
        }),
  };
}

it("a supervisor prints once that all serve, passes signals on, replaces what ends, and ends with 0", async () => {
  const { child, ended, printed } = start();
  await expect.poll(printed, WAIT).toEqual(["1 serves"]);
  child.kill("SIGUSR2");
  const replaced = { msg: "the processes were replaced", isNamed: false };
  await expect.poll(printed, WAIT).toEqual(["1 serves", replaced]);
  child.kill("SIGHUP");
  const seven = { exit: "7", msg: "a process ended and is replaced", isNamed: true };
  await expect
    .poll(printed, WAIT)
    .toEqual(["1 serves", replaced, { ...seven, waitMs: 0 }, { ...seven, waitMs: 1_000 }]);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, signal: null, stderr: "" });
});

it("a supervisor ends with the code of its first process when that cannot serve", async () => {
  const { ended } = start("3");
  expect(await ended).toEqual({ code: 3, signal: null, stdout: "", stderr: "" });
});
