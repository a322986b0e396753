import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import type { Step } from "./suites.ts";
import { addTallies, readTally, type Tally } from "./tally.ts";

/**
 * Runs the steps in order and counts their results. After a failed step, the later steps still run, except if the
 * failed step is required.
 */
export async function runSteps(steps: readonly Step[]): Promise<Tally> {
  let tally: Tally = { passed: 0, failed: 0 };
  for (const [index, step] of steps.entries()) {
    const begin = performance.now();
    process.stdout.write(`\n── ${step.name} (${index + 1} of ${steps.length})\n`);
    const { code, output, counted } = await run(step.command);
    const own = count(step, code, counted);
    tally = addTallies(tally, own);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    process.stdout.write(
      `── ${step.name}: ${own.failed === 0 ? "passed" : "FAILED"} in ${seconds} s\n`,
    );
    // A step that counts its tests has already printed the failures, except if the step ended before it could count.
    const isTold = step.counts !== undefined && (readTally(counted)?.failed ?? 0) > 0;
    if (own.failed > 0 && !isTold) process.stdout.write(reason(step, output));
    if (own.failed > 0 && step.required === true) {
      process.stdout.write(`── the rest needs ${step.name} and was not run\n`);
      return addTallies(tally, { passed: 0, failed: steps.length - index - 1 });
    }
  }
  return tally;
}

/**
 * Formats the failure of a step in the form of the tally reporter. The script `.ci/run` repeats these lines at the end
 * of its output.
 */
function reason(step: Step, output: string): string {
  const lines = stripVTControlCharacters(output).trimEnd().split("\n").slice(-20);
  return `✗ ${step.name}\n${lines.map((line) => `  | ${line}\n`).join("")}`;
}

/** Returns the tally of a step. A command's own count is used, but a non-zero exit is at least one failure. */
function count(step: Step, code: number, output: string): Tally {
  const one: Tally = code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  if (step.counts === undefined) return one;
  const counted = readTally(output);
  if (counted === null) return { passed: 0, failed: 1 };
  return code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted;
}

interface Run {
  readonly code: number;
  /** The end of the output. */
  readonly output: string;
  /** The end of standard output without standard error, because the order in which the two streams mix can vary. */
  readonly counted: string;
}

function run([program, ...parameters]: Step["command"]): Promise<Run> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
    });
    let output = "";
    let counted = "";
    const keep = (text: string): void => {
      output = (output + text).slice(-4_000);
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      process.stdout.write(text);
      keep(text);
      counted = (counted + text).slice(-2_000);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      process.stderr.write(text);
      keep(text);
    });
    child.once("error", () => resolve({ code: 127, output, counted }));
    child.once("close", (code) => resolve({ code: code ?? 1, output, counted }));
  });
}
