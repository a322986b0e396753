import { kindPolicies } from "@insurance-gateway/core/runtime";
import { type Command, Option } from "commander";
import { lazyAction } from "./command-parts.ts";

/** Registers the commands that show the configured providers. These commands work without a running gateway. */
export function registerLookCommands(program: Command): void {
  program
    .command("providers")
    .description("list the providers of the configuration")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
The command needs no running gateway and reads no secrets.

Example:
  insurance-gateway providers`,
    )
    .action(lazyAction(async () => (await import("./providers.ts")).listProviders));

  program
    .command("routes")
    .description("list the routes of the configured providers")
    .argument(
      "[provider]",
      "only this provider (its segment or ID); `gateway` for the gateway itself",
    )
    .addOption(
      new Option("--kind <kind>", "only endpoints of this kind").choices(Object.keys(kindPolicies)),
    )
    .option("--search <text>", "only routes that contain this text in any column")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
The command needs no running gateway. A parameter with * is required.

Example:
  insurance-gateway routes --search applications`,
    )
    .action(lazyAction(async () => (await import("./routes.ts")).listRoutes));

  program
    .command("openapi")
    .description(
      "print the OpenAPI 3.1 document of a provider or of the gateway itself, or the index of all",
    )
    .argument("[provider]", "segment or ID of the provider; `gateway` for the gateway itself")
    .option("--address <url>", "base address in the document (default: the configured address)")
    .addHelpText(
      "after",
      `
The command needs no running gateway. The index refers to each provider's document at the gateway.

Example:
  insurance-gateway openapi provider-d > provider-d.json`,
    )
    .action(lazyAction(async () => (await import("./write-reference.ts")).printDocument));

  program
    .command("collections")
    .description("write the request collections for Postman and Bruno into a folder")
    .argument(
      "[provider]",
      "only this provider (its segment or ID); `gateway` for the gateway itself",
    )
    .option("--out <folder>", "the folder; created if it does not exist", "collections")
    .option("--address <url>", "base address of the requests (default: the configured address)")
    .addHelpText(
      "after",
      `
The command needs no running gateway. Put your token as a secret into the environment of Postman or Bruno.

Example:
  insurance-gateway collections --out collections`,
    )
    .action(lazyAction(async () => (await import("./write-reference.ts")).writeCollections));
}
