import { Command, InvalidArgumentError, Option } from "commander";
import { serve } from "./command-line/serve.ts";
import {
  type ListOptions,
  listSubmissions,
  type SettleOptions,
  settleSubmission,
  showSubmission,
} from "./command-line/submissions.ts";
import { type TokenOptions, token } from "./command-line/token.ts";
import { ConfigurationError } from "./configuration/configuration-error.ts";

/** EX_CONFIG of sysexits.h: a supervisor must not start it again before somebody mends the configuration. */
const EXIT_CONFIGURATION = 78;

// What the gateway keeps holds keys and customers' data: it is its owner's alone.
process.umask(0o077);

const program = new Command("insurance-gateway")
  .description("One HTTP gateway in front of many insurers")
  .showHelpAfterError("(insurance-gateway --help tells more)")
  .addHelpText(
    "after",
    `
Configuration:
  gateway.config.json in this folder, or the file that GATEWAY_CONFIG names. HOST, PORT,
  OPERATIONS_HOST, OPERATIONS_PORT and GATEWAY_DATA go before the file. Submissions are kept in the
  data folder, or in the PostgreSQL database that DATABASE_URL names.

Exit codes:
  0 ended when asked to, 1 failed, 78 the configuration cannot be used`,
  );

program
  .command("serve", { isDefault: true })
  .description("serve the configured providers until SIGTERM")
  .action(serve);

program
  .command("token")
  .description("print a token of the development issuer, and nothing else")
  .option("--subject <subject>", "who the token speaks for", "developer")
  .option("--scope <scope>", "what it allows, separated by spaces", "*:*")
  .option("--expires-in <seconds>", "how long it is valid", seconds, 28_800)
  .action((options: TokenOptions) => token(options));

const submissions = program
  .command("submissions")
  .description("what became of submissions, also while a gateway serves")
  .addHelpText(
    "after",
    `
A submission that needs_review may have been carried out, and no lookup could tell. Ask the insurer, then settle it:
its caller gets your answer, and it is kept who settled it and why. Nothing is ever sent to the insurer by this.

Examples:
  insurance-gateway submissions list
  insurance-gateway submissions settle 0b0f… --as succeeded --reference D-000123 --by "M. Rossi" --why "seen in the portal"`,
  );

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
  .action((options: ListOptions) => listSubmissions(options));

submissions
  .command("show")
  .description("show one submission, and who settled it")
  .argument("<id>", "the submission's id, as problems and Location name it", submissionId)
  .action((id: string) => showSubmission(id));

submissions
  .command("settle")
  .description("say what became of a submission, having asked the insurer")
  .argument("<id>", "the submission's id", submissionId)
  .addOption(
    new Option("--as <state>", "what became of it")
      .choices(["succeeded", "failed"])
      .makeOptionMandatory(),
  )
  .option("--reference <identifier>", "the insurer's own identifier; needed for succeeded")
  .requiredOption("--by <name>", "who says so", words)
  .requiredOption("--why <reason>", "how it was found out", words)
  .action((id: string, { why, ...options }: Omit<SettleOptions, "reason"> & { why: string }) =>
    settleSubmission(id, { ...options, reason: why }),
  );

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

function seconds(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a positive whole number of seconds.");
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(error instanceof ConfigurationError ? EXIT_CONFIGURATION : 1);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "EADDRINUSE")
    return `${error.message}\nAnother program listens there: stop it, or choose with PORT and OPERATIONS_PORT.`;
  return error.message;
}
