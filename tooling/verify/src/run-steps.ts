import { spawn } from "node:child_process";
import type { Step } from "./suites.ts";
import { addTallies, readTally, type Tally } from "./tally.ts";

/** Runs the steps one after the other and counts; a step that fails does not keep the later ones from running, unless they need it. */
export async function runSteps(steps: readonly Step[]): Promise<Tally> {
  let tally: Tally = { passed: 0, failed: 0 };
  for (const [index, step] of steps.entries()) {
    const begin = performance.now();
    process.stdout.write(`\n── ${step.name} (${index + 1} of ${steps.length})\n`);
    const { code, output } = await run(step.command);
    const own = count(step, code, output);
    tally = addTallies(tally, own);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    process.stdout.write(
      `── ${step.name}: ${own.failed === 0 ? "passed" : "FAILED"} in ${seconds} s\n`,
    );
    if (own.failed > 0 && step.required === true) {
      process.stdout.write(`── the rest needs ${step.name} and was not run\n`);
      return addTallies(tally, { passed: 0, failed: steps.length - index - 1 });
    }
  }
  return tally;
}

/** A command that counts its tests is believed, but a non-zero exit is at least one failure. */
function count(step: Step, code: number, output: string): Tally {
  const one: Tally = code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  if (step.counts === undefined) return one;
  const counted = readTally(output);
  if (counted === null) return { passed: 0, failed: 1 };
  return code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted;
}

function run([program, ...parameters]: Step["command"]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      process.stdout.write(text);
      // The tally is in the last line; the rest has been shown.
      output = (output + text).slice(-2_000);
    });
    child.once("error", () => resolve({ code: 127, output }));
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
