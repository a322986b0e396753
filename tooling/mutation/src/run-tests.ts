import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
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
 * @param changed - a source file that was changed; null for none
 */
export async function runTests(
  path: string,
  tests: readonly string[],
  changed: string | null,
): Promise<Ran> {
  const built = changed === null ? null : await build(path, tests, changed);
  if (built !== null && built.result !== "passed") return built;
  return run(path, join(path, "node_modules/.bin/vitest"), [
    "run",
    // Each file runs in the project that it belongs to.
    ...["fast", "chaos", "release"].flatMap((project) => ["--project", project]),
    "--bail",
    "1",
    "--reporter",
    "dot",
    "--maxWorkers",
    "1",
    ...tests,
  ]);
}

/**
 * Builds the gateway where tests of a changed file run what is built of it: the store's thread, and every gateway or
 * command that is a process of its own. Null where they run the sources.
 */
export async function build(
  path: string,
  tests: readonly string[],
  changed: string,
): Promise<Ran | null> {
  const startsProcess = (test: string): boolean =>
    /startGatewayProcess|runCommand/.test(readFileSync(join(path, test), "utf8"));
  const isBuilt =
    changed.startsWith("apps/gateway/src/store/") ||
    (changed.startsWith("apps/gateway/src/") && tests.some(startsProcess));
  return isBuilt ? run(join(path, "apps/gateway"), join(path, "node_modules/.bin/tsup"), []) : null;
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
