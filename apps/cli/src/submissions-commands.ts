import { type Command, InvalidArgumentError, Option } from "commander";
import { type AccessOptions, accessOptions } from "./call/common-options.ts";
import { exitCodesHelp } from "./exit-codes.ts";
import { refuse } from "./refuse.ts";
import type { ListOptions, SettleOptions } from "./submissions.ts";
import type { ReconcileOptions } from "./submissions-reconcile.ts";

/** Adds the commands about submissions: for the operator from the store, for a caller over HTTP. */
export function registerSubmissions(program: Command): void {
  const submissions = program
    .command("submissions")
    .description("list and resolve submissions")
    .addHelpText("after", HELP);

  submissions
    .command("list")
    .description(
      "list submissions, the newest first; without --state those with an unknown outcome",
    )
    .addOption(
      new Option("--state <states...>", "only submissions in these states")
        .choices(["in_flight", "outcome_unknown", "needs_review", "succeeded", "failed"])
        .default(["outcome_unknown", "needs_review"]),
    )
    .option("--limit <count>", "the largest number of submissions", count, 100)
    .option("--json", "as JSON")
    .addHelpText("after", example("submissions list --state needs_review --limit 20"))
    .action(async (options: ListOptions) => {
      const { listSubmissions } = await import("./submissions.ts");
      await listSubmissions(options);
    });

  submissions
    .command("show")
    .description(
      "show one submission, who resolved or corrected it, and who viewed its customer data",
    )
    .argument("<id>", "the submission's id, as problems and Location name it", submissionId)
    .option(
      "--reveal",
      "also show the customer data that its reconciliation needs; the store records this",
    )
    .option("--by <name>", "with --reveal: who views the data", words)
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
    .description("make the gateway query the insurer now, and wait for the result")
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
      "resolve a submission manually after you asked the insurer, or correct a wrong result",
    )
    .argument("<id>", "the submission's id", submissionId)
    .addOption(
      new Option("--as <state>", "the result")
        .choices(["succeeded", "failed"])
        .makeOptionMandatory(),
    )
    .option("--insurer-id <identifier>", "the insurer's own identifier; needed for succeeded")
    .requiredOption("--by <name>", "who resolves it", words)
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
    .command("accept-restore")
    .description(
      "after a restore: print what to compare with the insurers, and accept all submissions again",
    )
    .option("--show", "only print it")
    .addHelpText("after", example("submissions accept-restore --show"))
    .action(async ({ show = false }: { readonly show?: boolean }) => {
      const { acceptRestore } = await import("./store-actions.ts");
      await acceptRestore(show);
    });

  submissions
    .command("mark-restored")
    .description(
      "mark a store that was copied or restored without `insurance-gateway store`; stop all gateways first",
    )
    .addHelpText(
      "after",
      `
Until \`submissions accept-restore\`, gateways refuse submissions that the store does not know.
${example("submissions mark-restored")}`,
    )
    .action(async () => {
      const { markRestored } = await import("./store-actions.ts");
      await markRestored();
    });

  const ask = submissions
    .command("ask")
    .description("ask a running gateway for the state of a submission, as its caller")
    .argument("<id>", "the submission's id", submissionId)
    .addHelpText("after", `${example("submissions ask 0b0f…")}\n\n${exitCodesHelp}`)
    .action(async (id: string, options: AccessOptions, command: Command) => {
      const { askSubmission } = await import("./submissions-ask.ts");
      await askSubmission(id, options, command);
    });
  for (const option of accessOptions()) ask.addOption(option);
}

const HELP = `
ask is for callers, who see only their own submissions. All other commands are for operators and use the gateway's own store:
all but mark-restored work while a gateway runs.

The insurer may have carried out a submission in the state needs_review, and no query gave proof. Ask the insurer, then run
settle: the caller gets your result, and the store records who resolved it and why. None of these commands submits anything.

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
  // Terminals print them.
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
