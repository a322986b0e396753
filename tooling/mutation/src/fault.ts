import { type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Name of the environment's variable with the file that has a fault. */
export const FAULTY_FILE = "FAULTY_FILE";

/** One deliberate small fault in the code. */
export interface Fault {
  readonly name: string;
  /** The source file, from the repository's root. */
  readonly file: string;
  /** The file's text with the fault. */
  readonly text: string;
  /** Names of the test files that must notice it. Default: all that import the file. */
  readonly tests?: readonly string[];
}

/** The tests' verdict on a fault, with the first test that failed or another reason. */
export interface Tried {
  readonly verdict: "noticed" | "not noticed" | "undecided";
  readonly reason: string;
}

/** A file of tests prints a line when it ends: this long without one means that a test hangs. */
const LONGEST_SILENCE_MS = 150_000;

/** Puts a fault into a copy of the working tree, runs the tests for at most `seconds`, and removes the fault. */
export async function tryFault(copy: string, fault: Fault, seconds: number): Promise<Tried> {
  const file = join(copy, fault.file);
  const source = readFileSync(file, "utf8");
  writeFileSync(file, fault.text);
  try {
    return await runTests(copy, fault, seconds);
  } finally {
    writeFileSync(file, source);
  }
}

async function runTests(copy: string, { file, tests }: Fault, seconds: number): Promise<Tried> {
  const bin = join(copy, "node_modules/.bin");
  const env = { ...process.env, [FAULTY_FILE]: file };
  const runIn = (cwd: string, program: string, parameters: readonly string[]): Promise<Ended> =>
    run(join(bin, program), parameters, { cwd, env }, seconds);
  const vitest = async (...chosen: readonly string[]): Promise<Tried> =>
    readTests(await runIn(copy, "vitest", [...chosen, ...VITEST]));
  // It takes a while to find the tests that import a file, and those that start a command are not among them.
  const near = tests === undefined && (await vitest("run", nearestTests(copy, file)));
  if (near && near.verdict === "noticed") return near;
  // Some tests start the store's thread and whole processes from what is built.
  const app = /^apps\/[^/]+/.exec(file)?.[0];
  if (app !== undefined && (await runIn(join(copy, app), "tsup", [])).code !== 0)
    return { verdict: "noticed", reason: "it does not build" };
  return tests === undefined ? vitest("related", "--run", file) : vitest("run", ...tests);
}

/** The folder of tests beside a source file, or above it. */
function nearestTests(copy: string, file: string): string {
  let folder = dirname(file.replace("/src/", "/test/"));
  while (!existsSync(join(copy, folder))) folder = dirname(folder);
  return `${folder}/`;
}

const VITEST =
  "--config tooling/mutation/nearest-first.config.ts --root . --project fast --bail 1 --maxWorkers 1 --no-color".split(
    " ",
  );

function readTests({ code, ended, output }: Ended): Tried {
  const [, failed] = /^ *FAIL +(.*)$/m.exec(output) ?? [];
  if (failed !== undefined) return { verdict: "noticed", reason: failed };
  if (ended === "silent") return { verdict: "noticed", reason: "a test does not end" };
  if (ended === "late") return { verdict: "undecided", reason: "no test failed in its time" };
  return code === 0
    ? { verdict: "not noticed", reason: "all tests pass" }
    : { verdict: "undecided", reason: "no test could run" };
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  /** Whether it ended by itself, printed nothing for too long, or took too long. */
  readonly ended: "itself" | "silent" | "late";
}

function run(
  program: string,
  parameters: readonly string[],
  options: SpawnOptionsWithoutStdio,
  seconds: number,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that the processes of a test end with it.
    const child = spawn(program, parameters, { ...options, detached: true });
    let ended: Ended["ended"] = "itself";
    const endAs = (reason: "silent" | "late") => (): void => {
      ended = reason;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    const silence = setTimeout(endAs("silent"), LONGEST_SILENCE_MS);
    const limit = setTimeout(endAs("late"), seconds * 1_000);
    let output = "";
    const keep = (text: string): void => {
      silence.refresh();
      output = (output + text).slice(-200_000);
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(silence);
      clearTimeout(limit);
      resolve({ code, output, ended });
    });
  });
}
