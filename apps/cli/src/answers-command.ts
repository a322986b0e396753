import type { Command } from "commander";
import type { AnswersOptions } from "./answers.ts";

/** Adds the command that shows which refusals of insurers no row of `failures` matches. */
export function registerAnswers(program: Command): void {
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
    .action(async (options: AnswersOptions) => {
      const { listAnswers } = await import("./answers.ts");
      await listAnswers(options);
    });
}
