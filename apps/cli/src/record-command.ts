import { type Command, InvalidArgumentError } from "commander";
import type { RecordOptions } from "./record.ts";

/** Adds the command that records scrubbed examples of insurers' answers. */
export function registerRecord(program: Command): void {
  program
    .command("record")
    .description("record scrubbed examples of an endpoint's answers, as scenarios of a sandbox")
    .argument("<provider>", "the provider's path segment")
    .argument("<endpoint>", "the endpoint's name, such as createApplication")
    .option("--count <number>", "how many different answers to record", upTo(100), 5)
    .option("--minutes <number>", "how long to record at most", upTo(1_440), 60)
    .option("--from <address>", "the gateway's operations address; the configured one")
    .option("--out <file>", "the file to write; standard output when left out")
    .addHelpText(
      "after",
      `
The command asks one gateway to record answers, and waits. The gateway replaces every text, number and day in them. Values that the declaration lists stay, and undeclared fields are left out. Put the file into the
provider's package, and its scenarios into "recorded" of its sandbox.

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
