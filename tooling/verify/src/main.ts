import { runSteps } from "./run-steps.ts";
import { suites } from "./suites.ts";
import { tallyLine } from "./tally.ts";

/** `npm test` runs the suite `test`; the others are named: `npm test -- release`. */
const name = process.argv[2] ?? "test";
const steps = suites[name];
if (steps === undefined) {
  process.stderr.write(`There is no suite ${name}; there are ${Object.keys(suites).join(", ")}.\n`);
  process.exit(2);
}
const tally = await runSteps(steps);
process.exitCode = tally.failed === 0 ? 0 : 1;
process.stdout.write(`${tallyLine(tally)}\n`);
