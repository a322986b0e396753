import { type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The name of the environment variable with the path of the faulty file. */
export const FAULTY_FILE = "FAULTY_FILE";

/** One deliberate small fault in the code. */
export interface Fault {
  readonly name: string;
  /** The path of the source file from the repository's root. */
  readonly file: string;
  /** The complete text of the file, with the fault in it. */
  readonly text: string;
  /** The test files that must detect the fault. Default: all test files that import the faulty file. */
  readonly tests?: readonly string[];
}

/** The verdict of the tests on a fault, with the first failed test or another reason. */
export interface FaultResult {
  readonly verdict: "noticed" | "not noticed" | "undecided";
  readonly reason: string;
}

/**
 * Maximum time between two lines of output, in milliseconds. vitest prints a line after each test file, so a longer
 * silence means that a test hangs.
 */
const MAX_SILENCE_MS = 150_000;

/** Puts a fault into a copy of the working tree, runs the tests for at most `seconds`, and removes the fault. */
export async function tryFault(copy: string, fault: Fault, seconds: number): Promise<FaultResult> {
  const file = join(copy, fault.file);
  const source = readFileSync(file, "utf8");
  writeFileSync(file, fault.text);
  try {
    return await runTests(copy, fault, seconds);
  } finally {
    writeFileSync(file, source);
  }
}

async function runTests(
  copy: string,
  { file, tests }: Fault,
  seconds: number,
): Promise<FaultResult> {
  const bin = join(copy, "node_modules/.bin");
  const env = { ...process.env, [FAULTY_FILE]: file };
  const runIn = (cwd: string, program: string, parameters: readonly string[]): Promise<Ended> =>
    run(join(bin, program), parameters, { cwd, env }, seconds);
  const vitest = async (...chosen: readonly string[]): Promise<FaultResult> =>
    readTests(await runIn(copy, "vitest", [...chosen, ...VITEST]));
  // The nearest tests run before all other tests, because it is slow to find all tests that import a file, and this
  // search misses tests that start a command.
  const near = tests === undefined && (await vitest("run", nearestTests(copy, file)));
  if (near && near.verdict === "noticed") return near;
  // Some tests run the built store thread or whole built processes.
  const app = /^apps\/[^/]+/.exec(file)?.[0];
  if (app !== undefined && (await runIn(join(copy, app), "tsup", [])).code !== 0)
    return { verdict: "noticed", reason: "it does not build" };
  return tests === undefined ? vitest("related", "--run", file) : vitest("run", ...tests);
}

/** Returns the folder of tests that is nearest to a source file. */
function nearestTests(copy: string, file: string): string {
  let folder = dirname(file.replace("/src/", "/test/"));
  while (!existsSync(join(copy, folder))) folder = dirname(folder);
  return `${folder}/`;
}

const VITEST =
  "--config tooling/mutation/nearest-first.config.ts --root . --project fast --bail 1 --maxWorkers 1 --no-color".split(
    " ",
  );

function readTests({ code, ended, output }: Ended): FaultResult {
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
  /** "itself" if the command ended, "silent" if it printed nothing for too long, "late" if it took too long. */
  readonly ended: "itself" | "silent" | "late";
}

function run(
  program: string,
  parameters: readonly string[],
  options: SpawnOptionsWithoutStdio,
  seconds: number,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // A separate process group, so that the processes of a test end together with vitest.
    const child = spawn(program, parameters, { ...options, detached: true });
    let ended: Ended["ended"] = "itself";
    const endAs = (reason: "silent" | "late") => (): void => {
      ended = reason;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    const silence = setTimeout(endAs("silent"), MAX_SILENCE_MS);
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
