import { type Command, InvalidArgumentError, Option } from "commander";
import { refuse } from "./refuse.ts";
import type { UsageOptions } from "./usage.ts";

/** Adds the command that prints what accounts have used. */
export function registerUsage(program: Command): void {
  program
    .command("usage")
    .description(
      "print calls and submissions by account, endpoint and day; works while a gateway runs",
    )
    .option("--from <day>", "the first day, 2026-11-01; the first of this month when left out", day)
    .option("--to <day>", "the last day, included; today when left out", day)
    .option("--account <id>", "only this account")
    .addOption(
      new Option("--format <format>", "how to print it").choices(["csv", "json"]).default("csv"),
    )
    .addHelpText(
      "after",
      `
Days are those of accounts.timeZone. A quote is a call of the kind quote. Submissions are exact; calls of the last
second may still be missing while a gateway serves.

Examples:
  insurance-gateway usage
  insurance-gateway usage --from 2026-10-01 --to 2026-10-31 --format json
  insurance-gateway usage --account broker-7 > broker-7.csv`,
    )
    .action(async (options: UsageOptions, command: Command) => {
      const { from, to } = options;
      if (from !== undefined && to !== undefined && from > to)
        refuse(command, "--from must not be after --to");
      const { printUsage } = await import("./usage.ts");
      await printUsage(options);
    });
}

function day(text: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  if (isDay && new Date(text).toISOString().startsWith(text)) return text;
  throw new InvalidArgumentError("It must be a day: 2026-11-22.");
}
