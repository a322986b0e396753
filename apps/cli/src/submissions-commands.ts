import { type Command, InvalidArgumentError, Option } from "commander";
import { accessOptions } from "./call/common-options.ts";
import { lazyAction, wholeNumberParser } from "./command-parts.ts";
import { exitCodesHelp } from "./exit-codes.ts";

/** Registers the commands for submissions. The operator's commands use the store; the caller's command uses HTTP. */
export function registerSubmissionCommands(program: Command): void {
  const submissions = program
    .command("submissions")
    .description("list and resolve submissions")
    .addHelpText("after", SUBMISSIONS_HELP);

  submissions
    .command("list")
    .description("list submissions, newest first (default: submissions with an unknown outcome)")
    .addOption(
      new Option("--state <states...>", "only submissions in these states")
        .choices(["in_flight", "outcome_unknown", "needs_review", "succeeded", "failed"])
        .default(["outcome_unknown", "needs_review"]),
    )
    .option("--limit <count>", "maximum number of submissions", wholeNumberParser(1, 99_999), 100)
    .option("--json", "print JSON")
    .addHelpText("after", exampleText("submissions list --state needs_review --limit 20"))
    .action(lazyAction(async () => (await import("./submissions.ts")).listSubmissions));

  submissions
    .command("show")
    .description(
      "show one submission, who resolved or corrected it, and who viewed its customer data",
    )
    .argument(
      "<id>",
      "ID of the submission, from an error or the Location header",
      parseSubmissionId,
    )
    .option(
      "--reveal",
      "also show the customer data for reconciliation; the store records who viewed the data and why",
    )
    .option(
      "--by <name>",
      "name of the person who views the data; only with --reveal",
      parseOneLine,
    )
    .option("--why <reason>", "reason for viewing the data; only with --reveal", parseOneLine)
    .addHelpText(
      "after",
      exampleText('submissions show 0b0f… --reveal --by "M. Rossi" --why "to ask the insurer"'),
    )
    .action(lazyAction(async () => (await import("./submissions.ts")).showSubmission));

  submissions
    .command("reconcile")
    .description("make the gateway query the insurer now, and wait for the result")
    .argument("<id>", "ID of the submission", parseSubmissionId)
    .option("--wait <seconds>", "longest wait in seconds", wholeNumberParser(0, 99_999), 60)
    .addHelpText(
      "after",
      `${exampleText("submissions reconcile 0b0f… --wait 10")}\n\n${exitCodesHelp}`,
    )
    .action(
      lazyAction(async () => (await import("./submissions-reconcile.ts")).reconcileSubmission),
    );

  submissions
    .command("resolve")
    .description(
      "resolve a submission manually after you asked the insurer, or correct a wrong result",
    )
    .argument("<id>", "ID of the submission", parseSubmissionId)
    .addOption(
      new Option("--as <state>", "the result")
        .choices(["succeeded", "failed"])
        .makeOptionMandatory(),
    )
    .option("--insurer-id <identifier>", "the insurer's identifier; required for succeeded")
    .requiredOption("--by <name>", "name of the person who resolves the submission", parseOneLine)
    .requiredOption(
      "--why <reason>",
      "reason for this result, such as the insurer's answer",
      parseOneLine,
    )
    .addHelpText(
      "after",
      exampleText(
        'submissions resolve 0b0f… --as succeeded --insurer-id D-000123 --by "M. Rossi" --why "seen in the portal"',
      ),
    )
    .action(lazyAction(async () => (await import("./submissions.ts")).resolveSubmission));

  submissions
    .command("accept-restore")
    .description(
      "after a restore: print what to compare with the insurers, and accept all submissions again",
    )
    .option("--show", "only print, and change nothing")
    .addHelpText("after", exampleText("submissions accept-restore --show"))
    .action(lazyAction(async () => (await import("./store-actions.ts")).acceptRestore));

  submissions
    .command("mark-restored")
    .description(
      "mark a store that was copied or restored without `insurance-gateway store`; stop all gateways first",
    )
    .addHelpText(
      "after",
      `
Until \`submissions accept-restore\`, gateways refuse submissions that the store does not know.
${exampleText("submissions mark-restored")}`,
    )
    .action(lazyAction(async () => (await import("./store-actions.ts")).markRestored));

  const ask = submissions
    .command("ask")
    .description("query a running gateway for the state of your own submission")
    .argument("<id>", "ID of the submission", parseSubmissionId)
    .addHelpText("after", `${exampleText("submissions ask 0b0f…")}\n\n${exitCodesHelp}`)
    .action(lazyAction(async () => (await import("./submissions-ask.ts")).askSubmission));
  for (const option of accessOptions()) ask.addOption(option);
}

const SUBMISSIONS_HELP = `
ask is for callers, who see only their own submissions. All other commands are for operators and use the gateway's own store:
all but mark-restored work while a gateway runs.

The insurer may have carried out a submission in the state needs_review, but no query proved it. Ask the insurer, then run
resolve: the caller gets your result, and the store records who resolved the submission and why. None of these commands submits anything.

Examples:
  insurance-gateway submissions list
  insurance-gateway submissions reconcile 0b0f…
  insurance-gateway submissions resolve 0b0f… --as succeeded --insurer-id D-000123 --by "M. Rossi" --why "seen in the portal"
  insurance-gateway submissions ask 0b0f…`;

function exampleText(command: string): string {
  return `\nExample:\n  insurance-gateway ${command}`;
}

function parseSubmissionId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the id of a submission, a UUID in lower case.");
}

function parseOneLine(text: string): string {
  // A terminal would execute control characters.
  if (/^[^\p{Cc}]*\S[^\p{Cc}]*$/u.test(text) && text.length <= 500) return text;
  throw new InvalidArgumentError("It must be 1 to 500 characters in one line.");
}
