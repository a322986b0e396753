import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { CommandLine, Segments } from "./configuration/configuration.ts";
import { ConfigurationError } from "./configuration/configuration-error.ts";

/**
 * EX_CONFIG of sysexits.h. The command line configures the MCP server, so faults of the command line also use this
 * code.
 */
const EXIT_CONFIGURATION = 78;

const version = packageVersion();
const program = new Command("insurance-gateway-mcp")
  .description("An MCP server over stdio whose tools are the Insurance Gateway's endpoints")
  .version(version)
  .addOption(
    new Option("--gateway <url>", "the gateway's base address")
      .env("GATEWAY_URL")
      .default("http://127.0.0.1:8080"),
  )
  .option(
    "--provider <package...>",
    "offer only these provider packages (default: every installed @insurance-gateway/provider-*)",
  )
  .addOption(
    new Option(
      "--allow <kind...>",
      "offer endpoints of these kinds in addition to lookup, search and quote",
    ).choices(["document", "read", "submission"]),
  )
  .option(
    "--tool <pattern...>",
    "offer only the tools whose names match; * matches any characters: 'provider-d_*'",
  )
  .addOption(
    new Option(
      "--confirm <who>",
      "who confirms a submission: person, whom the MCP client asks; or code, for clients that cannot ask: the MODEL confirms with a second call, and nothing proves that a person agreed",
    )
      .choices(["person", "code"])
      .default("person"),
  )
  .option(
    "--segment <id=segment...>",
    "the path segment of a provider if it differs from the provider's id: provider-d=acme; one for each provider",
    parseSegment,
  )
  .exitOverride()
  // Commander's message may contain a value; exitCodeOf prints a message without values.
  .configureOutput({ outputError: () => undefined })
  .addHelpText(
    "after",
    `
Token:
  Set GATEWAY_TOKEN in the environment, or GATEWAY_TOKEN_FILE to the name of a file. The file is
  read about twice a minute, and at once if the gateway refuses its token.
  The token is never an argument: every user of the machine can read those.

Providers:
  The packages are found from the current folder: in its node_modules, or in its packages folder if it is a workspace.

Submissions:
  A submission creates or changes something at an insurer. Its tool is offered only with --allow submission. The server
  sends nothing before a person has confirmed it. The MCP client asks that person (elicitation). If the client cannot
  ask, the server refuses the submission, unless --confirm code lets the model confirm it.

Examples:
  GATEWAY_TOKEN=… insurance-gateway-mcp
  GATEWAY_TOKEN=… insurance-gateway-mcp --gateway https://gateway.example --allow document submission
  GATEWAY_TOKEN=… insurance-gateway-mcp --provider @insurance-gateway/provider-d --segment provider-d=acme

Exit codes:
  0 stopped as requested, 1 failure, 78 invalid configuration`,
  )
  .action(async (options: CommandLine) => {
    // The modules are imported only here, so that --help and wrong options respond quickly.
    const { configure } = await import("./configuration/configuration.ts");
    const { serve } = await import("./serve.ts");
    await serve(await configure(options, process.env, process.cwd()), version);
  });

try {
  await program.parseAsync();
} catch (error) {
  process.exit(exitCodeOf(error));
}

function packageVersion(): string {
  // This file and its build are both one folder below the package's folder.
  const file = new URL("../package.json", import.meta.url);
  // Every published package.json has a version.
  const manifest = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return manifest.version;
}

/** Parses one `id=segment` and adds it to the earlier segments. */
function parseSegment(text: string, earlier: Segments = {}): Segments {
  const [, id, segment] = /^([a-z][a-z0-9-]*)=([^=]+)$/.exec(text) ?? [];
  if (id === undefined || segment === undefined)
    throw new InvalidArgumentError(
      "It must be the provider's id and its segment: provider-d=acme.",
    );
  if (Object.hasOwn(earlier, id))
    throw new InvalidArgumentError("A provider can have only one segment.");
  return { ...earlier, [id]: segment };
}

/** Prints the error unless Commander has printed help or the version, and returns the exit code. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const text =
    error instanceof CommanderError
      ? `${describeFault(error, program.options, process.argv.slice(2))}\n(run insurance-gateway-mcp --help for the options)`
      : error instanceof Error
        ? error.message
        : String(error);
  process.stderr.write(`${text}\n`);
  return error instanceof CommanderError || error instanceof ConfigurationError
    ? EXIT_CONFIGURATION
    : 1;
}

/**
 * Describes the fault of the command line. The text contains only option names, because a value could be a token that
 * was passed by mistake.
 */
function describeFault(
  { code, message }: CommanderError,
  options: readonly Option[],
  parameters: readonly string[],
): string {
  if (code === "commander.unknownOption") return `error: ${describeUnknown(options, parameters)}`;
  if (code === "commander.excessArguments")
    return "error: too many arguments: every value needs an option before it";
  // Commander's message names the option by its flags, as declared above, before the value.
  const option = options.find(({ flags }) => message.startsWith(`error: option '${flags}' `));
  if (option === undefined) return "error: the command line is invalid";
  if (code === "commander.optionMissingArgument") return `error: ${option.flags} has no value`;
  const choices = option.argChoices?.join(", ");
  const accepted = choices === undefined ? "" : `; it accepts ${choices}`;
  return `error: ${option.flags} does not accept the given value${accepted} (${option.description})`;
}

function describeUnknown(options: readonly Option[], parameters: readonly string[]): string {
  const names = parameters.map((parameter) => /^--?[a-z][a-z-]{0,30}(?==|$)/.exec(parameter)?.[0]);
  const known = options.flatMap(({ long, short }) => [long, short]);
  const unknown = names.find((name) => name !== undefined && !known.includes(name));
  return unknown === undefined ? "unknown option" : `unknown option '${unknown}'`;
}
