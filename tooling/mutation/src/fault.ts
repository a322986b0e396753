import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One deliberate small fault in the code. */
export interface Fault {
  readonly name: string;
  /** The source file, from the repository's root. */
  readonly file: string;
  /** The file's text with the fault. */
  readonly text: string;
  /** Names of the test files that must notice it; all that import the file when left out. */
  readonly tests?: readonly string[];
}

/** Whether a test noticed a fault, with the first test that failed or another reason. */
export interface Tried {
  readonly isNoticed: boolean;
  readonly reason: string;
}

const LONGEST_MS = 600_000;

/** Puts a fault into a copy of the working tree, runs the tests, and takes it out again. */
export async function tryFault(copy: string, fault: Fault): Promise<Tried> {
  const file = join(copy, fault.file);
  const source = readFileSync(file, "utf8");
  writeFileSync(file, fault.text);
  try {
    return await runTests(copy, fault);
  } finally {
    writeFileSync(file, source);
  }
}

async function runTests(copy: string, { file, tests }: Fault): Promise<Tried> {
  const bin = join(copy, "node_modules/.bin");
  // Its tests start the store's thread and whole processes from what is built.
  const app = /^apps\/[^/]+/.exec(file)?.[0];
  if (app !== undefined && (await run(join(copy, app), join(bin, "tsup"), [])).code !== 0)
    return { isNoticed: true, reason: "it does not build" };
  const chosen = tests === undefined ? ["related", "--run", file] : ["run", ...tests];
  const options = ["--project", "fast", "--bail", "1", "--maxWorkers", "1", "--no-color"];
  const { code, output } = await run(copy, join(bin, "vitest"), [...chosen, ...options]);
  if (code === null) return { isNoticed: true, reason: "the tests do not end" };
  const [, failed] = /^ *FAIL +(.*)$/m.exec(output) ?? [];
  if (failed !== undefined) return { isNoticed: true, reason: failed };
  return { isNoticed: false, reason: code === 0 ? "SURVIVED" : "no test could run" };
}

/** Runs a program; the code is null when it took too long. */
function run(
  cwd: string,
  program: string,
  parameters: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that the processes of a test end with it.
    const child = spawn(program, parameters, { cwd, detached: true });
    let output = "";
    const keep = (text: string): void => {
      output = (output + text).slice(-200_000);
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, LONGEST_MS);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}
