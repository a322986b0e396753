import { type Command, InvalidArgumentError, Option } from "commander";
import { type ConnectionOptions, connectionOptions } from "./call/common-options.ts";
import { exitCodesHelp } from "./exit-codes.ts";
import type { ListOptions, SettleOptions } from "./submissions.ts";

/** Adds the commands that tell what became of submissions: to the operator from the store, to a caller over HTTP. */
export function registerSubmissions(program: Command): void {
  const submissions = program
    .command("submissions")
    .description("what became of submissions, also while a gateway serves")
    .addHelpText("after", HELP);

  submissions
    .command("list")
    .description(
      "list submissions, the newest first; without --state those whose outcome is not known",
    )
    .addOption(
      new Option("--state <states...>", "in these states")
        .choices(["in_flight", "outcome_unknown", "needs_review", "succeeded", "failed"])
        .default(["outcome_unknown", "needs_review"]),
    )
    .option("--limit <count>", "so many at most", count, 100)
    .option("--json", "as JSON")
    .action(async (options: ListOptions) => {
      const { listSubmissions } = await import("./submissions.ts");
      await listSubmissions(options);
    });

  submissions
    .command("show")
    .description("show one submission, and who settled it")
    .argument("<id>", "the submission's id, as problems and Location name it", submissionId)
    .action(async (id: string) => {
      const { showSubmission } = await import("./submissions.ts");
      await showSubmission(id);
    });

  submissions
    .command("settle")
    .description("say what became of a submission, having asked the insurer")
    .argument("<id>", "the submission's id", submissionId)
    .addOption(
      new Option("--as <state>", "what became of it")
        .choices(["succeeded", "failed"])
        .makeOptionMandatory(),
    )
    .option("--insurer-id <identifier>", "the insurer's own identifier; needed for succeeded")
    .requiredOption("--by <name>", "who says so", words)
    .requiredOption("--why <reason>", "how it was found out", words)
    .action(
      async (id: string, { why, ...options }: Omit<SettleOptions, "reason"> & { why: string }) => {
        const { settleSubmission } = await import("./submissions.ts");
        await settleSubmission(id, { ...options, reason: why });
      },
    );

  const ask = submissions
    .command("ask")
    .description("ask a running gateway, as the caller of a submission, what became of it")
    .argument("<id>", "the submission's id", submissionId)
    .addHelpText("after", `\n${exitCodesHelp}`)
    .action(async (id: string, options: ConnectionOptions, command: Command) => {
      const { askSubmission } = await import("./submissions-ask.ts");
      await askSubmission(id, options, command);
    });
  for (const option of connectionOptions()) ask.addOption(option);
}

const HELP = `
list, show and settle read the gateway's own store, as its operator does; ask is for callers, and shows them theirs.

A submission that needs_review may have been carried out, and no lookup could tell. Ask the insurer, then settle it:
its caller gets your answer, and it is kept who settled it and why. Nothing is ever sent to the insurer by this.

Examples:
  insurance-gateway submissions list
  insurance-gateway submissions settle 0b0f… --as succeeded --insurer-id D-000123 --by "M. Rossi" --why "seen in the portal"
  insurance-gateway submissions ask 0b0f…`;

function submissionId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the id of a submission, a UUID in lower case.");
}

function words(text: string): string {
  // They are shown on terminals.
  if (/^[^\p{Cc}]*\S[^\p{Cc}]*$/u.test(text) && text.length <= 500) return text;
  throw new InvalidArgumentError("It must be 1 to 500 characters in one line.");
}

function count(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 99999.");
}
