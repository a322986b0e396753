import { type Command, InvalidArgumentError } from "commander";
import type { DriftOptions } from "./drift.ts";

/** Adds the command that shows in what insurers' answers differ from their declarations. */
export function registerDrift(program: Command): void {
  program
    .command("drift")
    .description("list the differences between insurers' answers and their declarations")
    .option("--from <address>", "the gateway's operations address; the configured one")
    .option("--hours <number>", "only differences of the last hours", hoursIn)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
The gateway compares every answer that it cannot use, and a sample of all others (drift.samplePercent). The list has where
in the insurer's answer a difference is, and its kind: missing, added, type, enum (an unlisted value), null or format; never a value.
The exit code is 6 if a difference is breaking.

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
