import { type Command, InvalidArgumentError } from "commander";
import { developmentToken } from "./development-token.ts";
import type { SandboxOptions } from "./sandbox.ts";
import type { ServeOptions } from "./serve.ts";
import type { TokenOptions } from "./token.ts";

/** Adds the commands that serve, and give a token to a first caller. */
export function registerServing(program: Command): void {
  program
    .command("serve")
    .description("serve the configured providers until SIGTERM (the default)")
    .option(
      "--new-store",
      "serve from an empty PostgreSQL although a SQLite file has submissions, which are then known no more",
    )
    .addHelpText("after", "\nExample:\n  PORT=8081 insurance-gateway serve")
    .action(async (options: ServeOptions) => {
      const { serve } = await import("./serve.ts");
      await serve(options);
    });

  program
    .command("reload")
    .description("have the running gateway take over its changed configuration")
    .addHelpText(
      "after",
      `
Reaches every process of this machine that serves from the data folder, as SIGHUP does, and
prints what became of it. A configuration with faults is refused as a whole: every fault is
printed, and the one before goes on. Changed files are also taken over without this command.

Example:
  insurance-gateway reload`,
    )
    .action(async () => {
      const { reload } = await import("./reload.ts");
      await reload();
    });

  program
    .command("sandbox")
    .description("serve the simulated insurers of the configured providers, without a gateway")
    .option("--port <port>", "where they listen, on 127.0.0.1", port, 8090)
    .option("--data <folder>", "keep their records there; in memory when left out")
    .addHelpText(
      "after",
      `
Prints the address of each, and the credentials that it wants. With SANDBOX_AHEAD_MINUTES
their clock is ahead; PUT /-/clock/{minutes} moves it while they run.

Example:
  insurance-gateway sandbox --port 8090`,
    )
    .action(async (options: SandboxOptions) => {
      const { sandbox } = await import("./sandbox.ts");
      await sandbox(options);
    });

  program
    .command("token")
    .description("print a token of the development issuer, and nothing else")
    .option("--subject <subject>", "who the token speaks for", developmentToken.subject)
    .option("--scope <scope>", "what it allows, separated by spaces", developmentToken.scope)
    .option("--expires-in <seconds>", "how long it is valid", seconds, 28_800)
    .option("--tenant <name>", "the tenant that it names, where connections.claim is configured")
    .addHelpText(
      "after",
      '\nExample:\n  export GATEWAY_TOKEN=$(insurance-gateway token --scope "*:lookup")',
    )
    .action(async (options: TokenOptions) => {
      const { token } = await import("./token.ts");
      await token(options);
    });
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("It must be a port: 0 for any free one, to 65535.");
}

function seconds(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a positive whole number of seconds.");
}
