import { Command, CommanderError, Option } from "commander";
import { type CommandLine, configure, segmentOf } from "./configuration.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { serve } from "./serve.ts";
import { version } from "./version.ts";

/** EX_CONFIG of sysexits.h. The command line is the configuration of an MCP server, so its faults have this code, too. */
const EXIT_CONFIGURATION = 78;

const program = new Command("insurance-gateway-mcp")
  .description("An MCP server over stdio whose tools are the Insurance Gateway's endpoints")
  .version(version())
  .addOption(
    new Option("--gateway <url>", "the gateway's base address")
      .env("GATEWAY_URL")
      .default("http://127.0.0.1:8080"),
  )
  .option(
    "--provider <package...>",
    "offer these provider packages, and no others (default: every installed @insurance-gateway/provider-*)",
  )
  .addOption(
    new Option(
      "--allow <kind...>",
      "offer endpoints of these kinds beside lookup, search and quote",
    ).choices(["document", "read", "submission"]),
  )
  .option(
    "--segment <id=segment...>",
    "the path segment of a provider whose segment is not its id",
    segmentOf,
  )
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(withoutValues(text)) })
  .showHelpAfterError("(insurance-gateway-mcp --help tells more)")
  .addHelpText(
    "after",
    `
Token:
  GATEWAY_TOKEN in the environment. It is never an argument: every user of the machine can read those.

Providers:
  are looked up from this folder: packages of its node_modules, or of its packages folder where it is a workspace.

Submissions:
  create or change something at an insurer. Their tools are there with --allow submission only, and nothing is
  sent before a person has confirmed it.

Examples:
  GATEWAY_TOKEN=… insurance-gateway-mcp
  GATEWAY_TOKEN=… insurance-gateway-mcp --gateway https://gateway.example --allow document submission
  GATEWAY_TOKEN=… insurance-gateway-mcp --provider @insurance-gateway/provider-d --segment provider-d=acme

Exit codes:
  0 ended when asked to, 1 failed, 78 the configuration cannot be used`,
  )
  .action(async (options: CommandLine) => {
    await serve(await configure(options, process.env.GATEWAY_TOKEN, process.cwd()));
  });

try {
  await program.parseAsync();
} catch (error) {
  process.exit(endOf(error));
}

/** Says why it ends, where that is not said yet, and gives the exit code. */
function endOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CONFIGURATION;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof ConfigurationError ? EXIT_CONFIGURATION : 1;
}

/** What commander says, without the values it repeats: somebody may have tried to give a token. */
function withoutValues(text: string): string {
  return text
    .replace(/(unknown option '[^'=]*)=[^']*'/, "$1'")
    .replace(/ argument '.*?' (?=is invalid)/s, " ")
    .replace(/(but got \d+): .*\./s, "$1.");
}
