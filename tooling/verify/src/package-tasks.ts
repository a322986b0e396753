import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { addTallies, readTally, type Tally, tallyLine } from "./tally.ts";

/**
 * Runs turbo's tasks in the packages of a workspace and prints one tally at the end: `node package-tasks.ts lint test
 * --affected`. With `--first=NAME` the tasks of that package start at once in a separate parallel run, because turbo
 * cannot order tasks. turbo replays the output of unchanged packages, so their tests are counted without a run. Every
 * task except `test` counts as one check. A failure in one package stops only the packages that depend on it.
 */
const SUMMARIES = ".turbo/runs";
const FIRST = "--first=";

/** The used fields of turbo's JSON, for a run and for a plan. */
interface Run {
  readonly tasks: readonly Task[];
}

interface Task {
  readonly taskId: string;
  readonly task: string;
  readonly package: string;
  /** `<NONEXISTENT>` if the package has no such script. */
  readonly command: string;
  readonly dependencies: readonly string[];
  readonly logFile: string;
  /** The result of a task that ran or was cached. A run does not list other tasks. */
  readonly execution?: { readonly exitCode: number | null };
}

interface Result {
  readonly tally: Tally;
  /** A `✗` line with the reason for each failure. */
  readonly failures: string;
}

/** The output of turbo on the stream that was read, and turbo's exit code. */
interface Ended {
  readonly printed: string;
  /** The exit code; null if a signal ended turbo, or if turbo could not be started. */
  readonly code: number | null;
}

const nothing: Result = { tally: { passed: 0, failed: 0 }, failures: "" };

const given = process.argv.slice(2);
const parameters = given.filter((parameter) => !parameter.startsWith(FIRST));
// With `--force`, no second run starts in parallel, because both runs would build the same packages.
const first =
  process.env.TURBO_FORCE === undefined
    ? given.find((parameter) => parameter.startsWith(FIRST))?.slice(FIRST.length)
    : undefined;
const asked = parameters.filter((parameter) => !parameter.startsWith("-"));
rmSync(SUMMARIES, { recursive: true, force: true });
const planned = planOf((await runTurbo(["run", ...parameters, "--dry=json"], "pipe")).printed);
const filters = first === undefined ? [[]] : [[`--filter=${first}`], [`--filter=!${first}`]];
const ends = await Promise.all(
  filters.map((filter) =>
    runTurbo(
      [
        "run",
        ...parameters,
        ...filter,
        "--continue=dependencies-successful",
        "--output-logs=errors-only",
        "--summarize",
      ],
      "inherit",
    ),
  ),
);
const code = ends.map((end) => end.code).reduce((one, other) => (one === 0 ? other : one));
const { tally, failures } = checked(resultOf(planned, readSummaries()));
process.exitCode = tally.failed === 0 ? 0 : 1;
process.stdout.write(`${failures}${tallyLine(tally)}\n`);

/** @param output - `inherit` to print the output, `pipe` to return it */
async function runTurbo(options: readonly string[], output: "inherit" | "pipe"): Promise<Ended> {
  const turbo = spawn("turbo", options, { stdio: ["ignore", output, output] });
  let printed = "";
  turbo.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  turbo.stderr?.resume();
  const [code] = await once(turbo, "close").catch(() => [null]);
  return { printed, code };
}

/** Returns turbo's plan; null if turbo prints no readable plan, for example because it refuses the workspace. */
function planOf(printed: string): readonly Task[] | null {
  try {
    const plan: Run = JSON.parse(printed);
    return plan.tasks.filter(({ command }) => command !== "<NONEXISTENT>");
  } catch {
    return null;
  }
}

/** Reads turbo's summaries; null if turbo ended before it ran a task. */
function readSummaries(): Run | null {
  try {
    const runs = readdirSync(SUMMARIES).map(
      (file): Run => JSON.parse(readFileSync(`${SUMMARIES}/${file}`, "utf8")),
    );
    return { tasks: runs.flatMap(({ tasks }) => tasks) };
  } catch {
    return null;
  }
}

function resultOf(planned: readonly Task[] | null, summary: Run | null): Result {
  if (summary === null) return oneFailure("turbo", ["ran no task"]);
  if (planned === null) return oneFailure("turbo", ["printed no plan that can be read"]);
  const run = new Map(summary.tasks.map((task) => [task.taskId, task]));
  const failed = new Set(summary.tasks.filter(hasFailed).map(({ taskId }) => taskId));
  const results = planned.map((task) => resultOfTask(run.get(task.taskId) ?? task, failed));
  return {
    tally: results.map((result) => result.tally).reduce(addTallies, { passed: 0, failed: 0 }),
    failures: results.map((result) => result.failures).join(""),
  };
}

/**
 * Adds a failure to a result that must not pass: a failed run without a failure, or a run without any counted test.
 * Only with `--affected` may a run count no tests.
 */
function checked(result: Result): Result {
  const { passed, failed } = result.tally;
  if (failed > 0) return result;
  const faults: string[] = [];
  if (code !== 0) faults.push(`ended with ${code ?? "a signal"}, but no failure was counted`);
  if (passed === 0 && !parameters.includes("--affected")) faults.push("counted nothing");
  if (faults.length === 0) return result;
  const { failures } = oneFailure("turbo", faults);
  return { tally: { passed, failed: 1 }, failures };
}

function hasFailed({ execution }: Task): boolean {
  return execution !== undefined && execution.exitCode !== 0;
}

/** Returns the result of a task. A build is counted only if it fails, because it is only a prerequisite. */
function resultOfTask(task: Task, failed: ReadonlySet<string>): Result {
  const { dependencies, execution, package: name } = task;
  const isAsked = asked.includes(task.task);
  if (execution === undefined) {
    const missing = dependencies.filter((dependency) => failed.has(dependency));
    const reason =
      missing.length === 0 ? "what it needs did not run" : `${missing.join(", ")} failed`;
    return isAsked ? oneFailure(`${name} ${task.task}`, [`was not run: ${reason}`]) : nothing;
  }
  const lines = stripVTControlCharacters(readFileSync(task.logFile, "utf8")).trimEnd().split("\n");
  const counted = task.task === "test" ? lastTally(lines) : null;
  if (counted !== null && counted.failed > 0) return { tally: counted, failures: reported(lines) };
  if (hasFailed(task) || (task.task === "test" && counted === null))
    return oneFailure(`${name} ${task.task}`, lines.slice(-20));
  return { tally: counted ?? { passed: isAsked ? 1 : 0, failed: 0 }, failures: "" };
}

/** Returns the last tally of the output; the package manager may print an error after it. */
function lastTally(lines: readonly string[]): Tally | null {
  return readTally(lines.findLast((line) => readTally(line) !== null) ?? "");
}

/** Formats one failure in the form of the tally reporter. */
function oneFailure(name: string, reasons: readonly string[]): Result {
  const lines = [`✗ ${name}`, ...reasons.map((line) => `  | ${line}`), ""];
  return { tally: { passed: 0, failed: 1 }, failures: lines.join("\n") };
}

/** Returns the tally reporter's lines about failed tests. */
function reported(lines: readonly string[]): string {
  return lines
    .filter((line) => /^(✗ | {2}\| )/.test(line))
    .map((line) => `${line}\n`)
    .join("");
}
