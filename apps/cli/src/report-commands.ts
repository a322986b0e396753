import { type Command, InvalidArgumentError, Option } from "commander";
import { later, wholeNumber } from "./command-parts.ts";

/** Adds the commands that report what gateways and insurers did. */
export function registerReports(program: Command): void {
  program
    .command("answers")
    .description("list refusals of insurers that no row of failures matches")
    .option("--from <address>", "the gateway's operations address; the configured one")
    .option("--rows", "print draft rows for the configuration, for you to complete")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
A gateway counts them from its start. A submission that gets such an answer has an unknown outcome, until you add a row for it
to the provider's package or to providers[].failures in the configuration. In the rows that --rows prints, set code and
outcome, and write into "why" where the insurer documents the answer.

Example:
  insurance-gateway answers --rows`,
    )
    .action(later(async () => (await import("./answers.ts")).listAnswers));

  program
    .command("usage")
    .description(
      "print calls and submissions by account, endpoint and day; works while a gateway runs",
    )
    .option("--from <day>", "the first day, 2026-11-01 (default: the first of this month)", day)
    .option("--to <day>", "the last day, included (default: today)", day)
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
    .action(later(async () => (await import("./usage.ts")).printUsage));

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
    .action(later(async () => (await import("./drift.ts")).listDrift));

  program
    .command("record")
    .description("record scrubbed examples of an endpoint's answers, as scenarios of a sandbox")
    .argument("<provider>", "the provider's path segment")
    .argument("<endpoint>", "the endpoint's name, such as createApplication")
    .option("--count <number>", "how many different answers to record", wholeNumber(1, 100), 5)
    .option("--minutes <number>", "how long to record at most", wholeNumber(1, 1_440), 60)
    .option("--from <address>", "the gateway's operations address; the configured one")
    .option("--out <file>", "the file to write (default: standard output)")
    .addHelpText(
      "after",
      `
The command asks one gateway to record answers, and waits. The gateway replaces every text, number and day in them. Values that the declaration lists stay, and undeclared fields are left out. Put the file into the
provider's package, and its scenarios into "recorded" of its sandbox.

Example:
  insurance-gateway record provider-d searchApplications --count 3 --out recorded.json`,
    )
    .action(later(async () => (await import("./record.ts")).recordAnswers));
}

function day(text: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  if (isDay && new Date(text).toISOString().startsWith(text)) return text;
  throw new InvalidArgumentError("It must be a day: 2026-11-22.");
}

function hoursIn(text: string): number {
  const hours = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || hours <= 0)
    throw new InvalidArgumentError("must be a number of hours.");
  return hours;
}
