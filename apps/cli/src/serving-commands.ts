import type { TokenOptions } from "@insurance-gateway/gateway/token";
import type { Command } from "commander";
import { developmentTokenDefaults, lazyAction, wholeNumberParser } from "./command-parts.ts";
import { print } from "./output/print.ts";

/** Registers the commands that start a gateway, control a running gateway, or create a token for a first call. */
export function registerServingCommands(program: Command): void {
  program
    .command("serve")
    .description("serve the configured providers until SIGTERM (default command)")
    .addHelpText("after", "\nExample:\n  PORT=8081 insurance-gateway serve")
    .action(lazyAction(async () => (await import("@insurance-gateway/gateway/serve")).serve));

  program
    .command("reload")
    .description("make the running gateway apply its changed configuration")
    .addHelpText(
      "after",
      `
Like SIGHUP, the command reaches every process on this machine that uses the data folder. It prints
the result. If the configuration has faults, the processes keep the previous one, and the command
prints every fault. The gateway also applies changed files without this command.

Example:
  insurance-gateway reload`,
    )
    .action(lazyAction(async () => (await import("./reload.ts")).reloadConfiguration));

  program
    .command("lookups")
    .description("manage the lookup answers in a running gateway's memory")
    .command("drop")
    .description("clear the lookup answers in the running gateway's memory")
    .addHelpText(
      "after",
      `
The command reaches every process on this machine that serves from the data folder. Callers may
still use their own cached answers for up to an hour.

Example:
  insurance-gateway lookups drop`,
    )
    .action(lazyAction(async () => (await import("./reload.ts")).dropLookups));

  program
    .command("sandbox")
    .description("serve the simulated insurers of the configured providers, without a gateway")
    .option("--port <port>", "port of the simulated insurers on 127.0.0.1", parsePort, 8090)
    .option("--data <folder>", "folder of the insurers' records (default: only in memory)")
    .addHelpText(
      "after",
      `
The command prints the address and the credentials of each simulated insurer. SANDBOX_AHEAD_MINUTES
sets their clock ahead; PUT /-/clock/{minutes} moves the clock while they run.

Example:
  insurance-gateway sandbox --port 8090`,
    )
    .action(lazyAction(async () => (await import("./sandbox.ts")).serveSandbox));

  program
    .command("token")
    .description("print a token of the development issuer, and nothing else")
    .option("--subject <subject>", "the subject of the token", developmentTokenDefaults.subject)
    .option(
      "--scope <scope>",
      "scopes of the token, separated by spaces",
      developmentTokenDefaults.scope,
    )
    .option("--expires-in <seconds>", "lifetime of the token in seconds", parseSeconds, 28_800)
    .option("--tenant <name>", "the tenant in the token, if accounts.claim is configured")
    .addHelpText(
      "after",
      '\nExample:\n  export GATEWAY_TOKEN=$(insurance-gateway token --scope "*:lookup")',
    )
    .action(async (options: TokenOptions) => {
      const { signDevelopmentToken } = await import("@insurance-gateway/gateway/token");
      await print(await signDevelopmentToken(options));
    });
}

const parsePort = wholeNumberParser(
  0,
  65_535,
  "It must be a port from 0 (any free port) to 65535.",
);
const parseSeconds = wholeNumberParser(
  1,
  999_999_999,
  "It must be a positive whole number of seconds.",
);
