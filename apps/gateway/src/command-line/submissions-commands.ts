import { type Command, InvalidArgumentError, Option } from "commander";
import { type ConnectionOptions, connectionOptions } from "./call/common-options.ts";
import { exitCodesHelp } from "./exit-codes.ts";
import { refuse } from "./refuse.ts";
import type { ListOptions, SettleOptions } from "./submissions.ts";
import type { ReconcileOptions } from "./submissions-reconcile.ts";

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
    .addHelpText("after", example("submissions list --state needs_review --limit 20"))
    .action(async (options: ListOptions) => {
      const { listSubmissions } = await import("./submissions.ts");
      await listSubmissions(options);
    });

  submissions
    .command("show")
    .description(
      "show one submission, who settled or corrected it, and who looked at whom it is about",
    )
    .argument("<id>", "the submission's id, as problems and Location name it", submissionId)
    .option("--reveal", "also show the customer's data that its reconciliation needs; is recorded")
    .option("--by <name>", "with --reveal: who looks", words)
    .option("--why <reason>", "with --reveal: why", words)
    .addHelpText(
      "after",
      example('submissions show 0b0f… --reveal --by "M. Rossi" --why "to ask the insurer"'),
    )
    .action(async (id: string, { by, reveal, why }: ShowOptions, command: Command) => {
      const reasons = [by, why].filter((given) => given !== undefined);
      if (reasons.length !== (reveal === true ? 2 : 0))
        refuse(command, "--reveal needs --by and --why, and they need --reveal");
      const { showSubmission } = await import("./submissions.ts");
      await showSubmission(id, by === undefined || why === undefined ? null : { by, reason: why });
    });

  submissions
    .command("reconcile")
    .description("have the gateway query the insurer now, and wait for what comes of it")
    .argument("<id>", "the submission's id", submissionId)
    .option("--wait <seconds>", "how long to wait at most", seconds, 60)
    .addHelpText("after", `${example("submissions reconcile 0b0f… --wait 10")}\n\n${exitCodesHelp}`)
    .action(async (id: string, options: ReconcileOptions) => {
      const { reconcileSubmission } = await import("./submissions-reconcile.ts");
      await reconcileSubmission(id, options);
    });

  submissions
    .command("settle")
    .description(
      "say what became of a submission, having asked the insurer; also corrects one that succeeded or failed wrongly",
    )
    .argument("<id>", "the submission's id", submissionId)
    .addOption(
      new Option("--as <state>", "what became of it")
        .choices(["succeeded", "failed"])
        .makeOptionMandatory(),
    )
    .option("--insurer-id <identifier>", "the insurer's own identifier; needed for succeeded")
    .requiredOption("--by <name>", "who says so", words)
    .requiredOption("--why <reason>", "how it was found out", words)
    .addHelpText(
      "after",
      example(
        'submissions settle 0b0f… --as succeeded --insurer-id D-000123 --by "M. Rossi" --why "seen in the portal"',
      ),
    )
    .action(
      async (id: string, { why, ...options }: Omit<SettleOptions, "reason"> & { why: string }) => {
        const { settleSubmission } = await import("./submissions.ts");
        await settleSubmission(id, { ...options, reason: why });
      },
    );

  submissions
    .command("export")
    .description(
      "write all submissions and the store's secret to an encrypted file; no gateway may serve",
    )
    .argument("<file>", "a new file; FILE.partial until it is complete, and continued from there")
    .addHelpText("after", example("submissions export submissions.export"))
    .action(async (file: string) => {
      const { exportSubmissions } = await import("./submissions-transfer.ts");
      await exportSubmissions(file);
    });

  submissions
    .command("import")
    .description("write an export into the store, SQLite or PostgreSQL; no gateway may serve")
    .argument("<file>", "what `submissions export` wrote")
    .addHelpText(
      "after",
      example("submissions import submissions.export", "DATABASE_URL=postgres://… "),
    )
    .action(async (file: string) => {
      const { importSubmissions } = await import("./submissions-transfer.ts");
      await importSubmissions(file);
    });

  const ask = submissions
    .command("ask")
    .description("ask a running gateway, as the caller of a submission, what became of it")
    .argument("<id>", "the submission's id", submissionId)
    .addHelpText("after", `${example("submissions ask 0b0f…")}\n\n${exitCodesHelp}`)
    .action(async (id: string, options: ConnectionOptions, command: Command) => {
      const { askSubmission } = await import("./submissions-ask.ts");
      await askSubmission(id, options, command);
    });
  for (const option of connectionOptions()) ask.addOption(option);
}

const HELP = `
ask is for callers, and shows them their own. All others read the gateway's own store, as its operator does: list, show,
reconcile and settle beside a gateway that serves, export and import while none does.

A submission that needs_review may have been carried out, and no query could tell. Ask the insurer, then settle it:
its caller gets your answer, and the store records who settled it and why. Nothing is submitted by any of these commands.

Examples:
  insurance-gateway submissions list
  insurance-gateway submissions reconcile 0b0f…
  insurance-gateway submissions settle 0b0f… --as succeeded --insurer-id D-000123 --by "M. Rossi" --why "seen in the portal"
  insurance-gateway submissions ask 0b0f…`;

interface ShowOptions {
  readonly reveal?: boolean;
  readonly by?: string;
  readonly why?: string;
}

function example(command: string, before = ""): string {
  return `\nExample:\n  ${before}insurance-gateway ${command}`;
}

function submissionId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the id of a submission, a UUID in lower case.");
}

function words(text: string): string {
  // They are shown on terminals.
  if (/^[^\p{Cc}]*\S[^\p{Cc}]*$/u.test(text) && text.length <= 500) return text;
  throw new InvalidArgumentError("It must be 1 to 500 characters in one line.");
}

function seconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 0 to 99999.");
}

function count(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 99999.");
}
