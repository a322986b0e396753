import { Command, CommanderError, Option } from "commander";
import { faultOf } from "./command-line-faults.ts";
import type { CommandLine } from "./configuration.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { segmentOf } from "./segments.ts";
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
    "--tool <pattern...>",
    "offer the tools whose names fit, and no others; * stands for any characters: 'provider-d_*'",
  )
  .addOption(
    new Option(
      "--confirm <who>",
      "who confirms a submission: person, whom the MCP client asks; or code, where the client cannot ask: then the MODEL confirms it, by a second call, and nothing proves that a person agreed",
    )
      .choices(["person", "code"])
      .default("person"),
  )
  .option(
    "--segment <id=segment...>",
    "the path segment of a provider whose segment is not its id: provider-d=acme; one for each provider",
    segmentOf,
  )
  .exitOverride()
  // What it says may repeat a value; endOf says it without.
  .configureOutput({ outputError: () => undefined })
  .addHelpText(
    "after",
    `
Token:
  GATEWAY_TOKEN in the environment, or the file that GATEWAY_TOKEN_FILE names, which is read anew for every request.
  It is never an argument: every user of the machine can read those.

Providers:
  are looked up from this folder: packages of its node_modules, or of its packages folder where it is a workspace.

Submissions:
  create or change something at an insurer. Their tools are there with --allow submission only. Nothing is sent
  before a person has confirmed it, whom the MCP client asks (elicitation); a client that cannot ask is refused,
  unless --confirm code lets its model confirm.

Examples:
  GATEWAY_TOKEN=… insurance-gateway-mcp
  GATEWAY_TOKEN=… insurance-gateway-mcp --gateway https://gateway.example --allow document submission
  GATEWAY_TOKEN=… insurance-gateway-mcp --provider @insurance-gateway/provider-d --segment provider-d=acme

Exit codes:
  0 stopped as requested, 1 failure, 78 the configuration cannot be used`,
  )
  .action(async (options: CommandLine) => {
    // The client, and what serves, are loaded for a command line that can be used.
    const { configure } = await import("./configuration.ts");
    const { serve } = await import("./serve.ts");
    await serve(await configure(options, process.env, process.cwd()));
  });

try {
  await program.parseAsync();
} catch (error) {
  process.exit(endOf(error));
}

/** Says why it ends, where that is not said yet, and gives the exit code. */
function endOf(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const text =
    error instanceof CommanderError
      ? `${faultOf(error, program.options, process.argv.slice(2))}\n(insurance-gateway-mcp --help tells more)`
      : error instanceof Error
        ? error.message
        : String(error);
  process.stderr.write(`${text}\n`);
  return error instanceof CommanderError || error instanceof ConfigurationError
    ? EXIT_CONFIGURATION
    : 1;
}
