import { type Command, InvalidArgumentError } from "commander";
import { developmentToken } from "./development-token.ts";
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
    .command("token")
    .description("print a token of the development issuer, and nothing else")
    .option("--subject <subject>", "who the token speaks for", developmentToken.subject)
    .option("--scope <scope>", "what it allows, separated by spaces", developmentToken.scope)
    .option("--expires-in <seconds>", "how long it is valid", seconds, 28_800)
    .addHelpText(
      "after",
      '\nExample:\n  export GATEWAY_TOKEN=$(insurance-gateway token --scope "*:lookup")',
    )
    .action(async (options: TokenOptions) => {
      const { token } = await import("./token.ts");
      await token(options);
    });
}

function seconds(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a positive whole number of seconds.");
}
