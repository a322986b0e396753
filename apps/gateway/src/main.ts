import { Command, InvalidArgumentError } from "commander";
import { serve } from "./command-line/serve.ts";
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
  OPERATIONS_HOST, OPERATIONS_PORT and GATEWAY_DATA go before the file.

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
