import { type Command, InvalidArgumentError } from "commander";
import type { DriftOptions } from "./drift.ts";

/** Adds the command that shows in what insurers' answers differ from their declarations. */
export function registerDrift(program: Command): void {
  program
    .command("drift")
    .description("list in what insurers' answers differ from their declarations")
    .option("--from <address>", "the operator's address of the gateway; the configuration's own")
    .option("--hours <number>", "only what was seen in the last hours", hoursIn)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
The gateway compares every answer that it cannot use, and a sample of all others (drift.samplePercent). A difference is a place
in what the insurer sent and its kind: missing, added, type, enum (a value that is not listed), null or format; never a value.
The exit code is 6 when a difference is breaking.

Example:
  insurance-gateway drift --hours 24 --json`,
    )
    .action(async (options: DriftOptions) => {
      const { listDrift } = await import("./drift.ts");
      await listDrift(options);
    });
}

function hoursIn(text: string): number {
  const hours = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || hours <= 0)
    throw new InvalidArgumentError("must be a number of hours.");
  return hours;
}
