import { Command, CommanderError } from "commander";
import { registerCall } from "./command-line/call/register-call.ts";
import {
  EXIT_CONFIGURATION,
  EXIT_FAILED,
  EXIT_USAGE,
  exitCodesHelp,
} from "./command-line/exit-codes.ts";
import { registerProviders } from "./command-line/providers.ts";
import { registerReference } from "./command-line/reference-commands.ts";
import { registerRoutes } from "./command-line/routes.ts";
import { registerServing } from "./command-line/serving-commands.ts";
import { registerSubmissions } from "./command-line/submissions-commands.ts";
import { ConfigurationError } from "./configuration/configuration-error.ts";

// What the gateway keeps, and what is downloaded, holds keys and customers' data: it is its owner's alone.
process.umask(0o077);
// Whoever reads our output may stop before its end, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : EXIT_FAILED);
});

const program = new Command("insurance-gateway")
  .description("One HTTP gateway in front of many insurers")
  .exitOverride()
  .enablePositionalOptions()
  .showHelpAfterError("(insurance-gateway --help tells more)")
  .addHelpText(
    "after",
    `
Examples:
  insurance-gateway serve
  TOKEN=$(insurance-gateway token)
  insurance-gateway providers
  insurance-gateway routes provider-d
  insurance-gateway call provider-a listBrands
  insurance-gateway openapi provider-d
  insurance-gateway collections --out collections
  insurance-gateway submissions list

Configuration:
  gateway.config.json in this folder, or the file that GATEWAY_CONFIG names. HOST, PORT,
  OPERATIONS_HOST, OPERATIONS_PORT and GATEWAY_DATA go before the file. Submissions are kept in the
  data folder, or in the PostgreSQL database that DATABASE_URL names.

${exitCodesHelp}`,
  );

program.commandsGroup("Serve:");
registerServing(program);
program.commandsGroup("Look:").helpCommand(true);
registerProviders(program);
registerRoutes(program);
registerReference(program);
program.commandsGroup("Call:");
registerCall(program);
program.commandsGroup("Operate:");
registerSubmissions(program);

try {
  const [node = "", file = "", ...words] = process.argv;
  // What no command means: serving.
  await program.parseAsync([node, file, ...(words.length === 0 ? ["serve"] : words)]);
} catch (error) {
  // What commander throws, it has told.
  if (!(error instanceof CommanderError)) process.stderr.write(`${messageOf(error)}\n`);
  process.exit(exitCodeFor(error));
}

function exitCodeFor(error: unknown): number {
  if (error instanceof ConfigurationError) return EXIT_CONFIGURATION;
  if (!(error instanceof CommanderError)) return EXIT_FAILED;
  // Help that was asked for is no fault.
  return error.exitCode === 0 ? 0 : EXIT_USAGE;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "EADDRINUSE")
    return `${error.message}\nAnother program listens there: stop it, or choose with PORT and OPERATIONS_PORT.`;
  return error.message;
}
