import { type Command, InvalidArgumentError } from "commander";
import type { RecordOptions } from "./record.ts";

/** Adds the command that records scrubbed examples of insurers' answers. */
export function registerRecord(program: Command): void {
  program
    .command("record")
    .description("record scrubbed examples of an endpoint's answers, as scenarios of a sandbox")
    .argument("<provider>", "the provider's path segment")
    .argument("<endpoint>", "the endpoint's name, such as createApplication")
    .option("--count <number>", "how many different answers", upTo(100), 5)
    .option("--minutes <number>", "for how long at most", upTo(1_440), 60)
    .option("--out <file>", "the file to write; standard output when left out")
    .addHelpText(
      "after",
      `
It tells the gateways that serve from the same store to record, and waits. Every text, number and day is replaced before
anything is written; values that the declaration lists stay, and fields that it does not have are left out. Put the file into
the provider's package and its scenarios into recorded of its sandbox.

Example:
  insurance-gateway record provider-d searchApplications --count 3 --out recorded.json`,
    )
    .action(
      async (provider: string, endpoint: string, options: RecordOptions, command: Command) => {
        const { recordAnswers } = await import("./record.ts");
        await recordAnswers(provider, endpoint, options, command);
      },
    );
}

function upTo(most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,5}$/.test(text) && number >= 1 && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  };
}
