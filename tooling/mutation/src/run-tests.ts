import { spawn } from "node:child_process";
import { join } from "node:path";

/** How tests ended. A mutation that makes them wait for ever is noticed, too. */
export interface Ran {
  readonly result: "passed" | "failed" | "timeout";
  /** The end of what they printed. */
  readonly output: string;
}

const LONGEST_MS = 180_000;

/**
 * Runs test files of a copy, until the first fails.
 * @param changed - source files that were changed: the store's thread runs from what is built of them
 */
export async function runTests(
  path: string,
  tests: readonly string[],
  changed: readonly string[],
): Promise<Ran> {
  if (changed.some((file) => file.startsWith("apps/gateway/src/store/"))) {
    const built = await run(join(path, "apps/gateway"), join(path, "node_modules/.bin/tsup"), []);
    if (built.result !== "passed") return built;
  }
  if (tests.length === 0) return { result: "passed", output: "" };
  return run(path, join(path, "node_modules/.bin/vitest"), [
    "run",
    "--project",
    "fast",
    "--bail",
    "1",
    "--reporter",
    "dot",
    "--maxWorkers",
    "1",
    ...tests,
  ]);
}

function run(cwd: string, program: string, parameters: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const { NODE_OPTIONS: _, ...environment } = process.env;
    // A group of its own, so that a test's own processes end with it.
    const child = spawn(program, parameters, {
      cwd,
      detached: true,
      env: { ...environment, PATH: `${join(cwd, "node_modules/.bin")}:${process.env.PATH}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let isLate = false;
    const keep = (text: string): void => {
      output = (output + text).slice(-4_000);
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    const timer = setTimeout(() => {
      isLate = true;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, LONGEST_MS);
    child.once("error", (error) => {
      clearTimeout(timer);
      resolve({ result: "failed", output: error.message });
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      if (isLate) return resolve({ result: "timeout", output });
      resolve({ result: code === 0 ? "passed" : "failed", output });
    });
  });
}
