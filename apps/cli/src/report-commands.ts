import { type Command, InvalidArgumentError, Option } from "commander";
import { lazyAction, wholeNumberParser } from "./command-parts.ts";

/** Registers the commands that report on the calls of gateways and the answers of insurers. */
export function registerReportCommands(program: Command): void {
  program
    .command("answers")
    .description("list insurers' error answers that match no `failures` row")
    .option(
      "--from <address>",
      "the gateway's operations address (default: the configured address)",
    )
    .option("--rows", "print drafts of `failures` rows to complete")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
A gateway counts these answers from its start. A submission with such an answer has an unknown outcome, until you add a row
for the answer to the provider's package or to providers[].failures in the configuration. In the rows that --rows prints, set
code and outcome, and name in "why" the place where the insurer documents the answer.

Example:
  insurance-gateway answers --rows`,
    )
    .action(lazyAction(async () => (await import("./answers.ts")).listAnswers));

  program
    .command("usage")
    .description(
      "count calls and submissions by account, endpoint and day, even while a gateway runs",
    )
    .option(
      "--from <day>",
      "first day, such as 2026-11-01 (default: first day of the month of --to)",
      parseDay,
    )
    .option("--to <day>", "last day, inclusive (default: today)", parseDay)
    .option("--account <id>", "only this account")
    .addOption(
      new Option("--format <format>", "output format").choices(["csv", "json"]).default("csv"),
    )
    .addHelpText(
      "after",
      `
Days begin and end in the time zone accounts.timeZone. The numbers of submissions are exact; while a gateway serves, calls
of the last second may be missing.

Examples:
  insurance-gateway usage
  insurance-gateway usage --from 2026-10-01 --to 2026-10-31 --format json
  insurance-gateway usage --account broker-7 > broker-7.csv`,
    )
    .action(lazyAction(async () => (await import("./usage.ts")).printUsage));

  program
    .command("drift")
    .description("list the differences between insurers' answers and their declarations")
    .option(
      "--from <address>",
      "the gateway's operations address (default: the configured address)",
    )
    .option("--hours <number>", "only differences that were found in the last hours", parseHours)
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
The gateway compares every answer that it cannot use, and a sample of all others (drift.samplePercent). The list names
the place of each difference in the insurer's answer and its kind: missing, added, type, enum (an unlisted value), null or
format. It contains no values.
The exit code is 6 if a difference is breaking.

Example:
  insurance-gateway drift --hours 24 --json`,
    )
    .action(lazyAction(async () => (await import("./drift.ts")).listDrift));

  program
    .command("record")
    .description("record scrubbed examples of an endpoint's answers, as scenarios of a sandbox")
    .argument("<provider>", "the provider's path segment")
    .argument("<endpoint>", "the endpoint's name, such as createApplication")
    .option(
      "--count <number>",
      "number of different answers to record",
      wholeNumberParser(1, 100),
      5,
    )
    .option(
      "--minutes <number>",
      "longest recording time in minutes",
      wholeNumberParser(1, 1_440),
      60,
    )
    .option(
      "--from <address>",
      "the gateway's operations address (default: the configured address)",
    )
    .option("--out <file>", "the file to write (default: standard output)")
    .addHelpText(
      "after",
      `
The command asks one gateway to record answers, and waits. The gateway replaces every text, number and day in the
answers, except values that the declaration lists, and omits undeclared fields. Put the file into the provider's
package, and its scenarios into "recorded" of the package's sandbox.

Example:
  insurance-gateway record provider-d searchApplications --count 3 --out recorded.json`,
    )
    .action(lazyAction(async () => (await import("./record.ts")).recordAnswers));
}

function parseDay(text: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  if (isDay && new Date(text).toISOString().startsWith(text)) return text;
  throw new InvalidArgumentError("It must be a day, such as 2026-11-22.");
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || hours <= 0)
    throw new InvalidArgumentError("It must be a number of hours, more than 0.");
  return hours;
}
