import type { Command } from "commander";
import type { AnswersOptions } from "./answers.ts";

/** Adds the command that shows which refusals of insurers no row of `failures` matches. */
export function registerAnswers(program: Command): void {
  program
    .command("answers")
    .description("list the refusals of insurers that no row of failures matches")
    .option("--from <address>", "the operator's address of the gateway; the configuration's own")
    .option("--rows", "write rows for the configuration, which you complete")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
A gateway counts them since its start. The outcome of a submission that is answered so is unknown, until somebody who knows
the insurer's documents adds a row: to the provider's package, or to providers[].failures of the configuration. Set code and
outcome of a row that --rows writes, and say in why where the insurer documents it.

Example:
  insurance-gateway answers --rows`,
    )
    .action(async (options: AnswersOptions) => {
      const { listAnswers } = await import("./answers.ts");
      await listAnswers(options);
    });
}
