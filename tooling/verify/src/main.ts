import { runSteps } from "./run-steps.ts";
import { suites } from "./suites.ts";
import { tallyLine } from "./tally.ts";

/** The suite to run: `npm test` runs `test`, and `npm test -- release` runs `release`. */
const name = process.argv[2] ?? "test";
const steps = suites[name];
if (steps === undefined) {
  process.stderr.write(
    `There is no suite ${name}. The suites are ${Object.keys(suites).join(", ")}.\n`,
  );
  process.exit(2);
}
const tally = await runSteps(steps);
process.exitCode = tally.failed === 0 ? 0 : 1;
process.stdout.write(`${tallyLine(tally)}\n`);
