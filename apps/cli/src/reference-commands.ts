import type { Command } from "commander";
import type { AddressOption, CollectionsOptions } from "./write-reference.ts";

/** Adds the commands that write what the reference has as files. */
export function registerReference(program: Command): void {
  program
    .command("openapi")
    .description("print the OpenAPI 3.1 document of a provider, or the index of all")
    .argument("[provider]", "the provider, by its segment or id")
    .option("--address <url>", "the base address in the document, instead of the configured one")
    .addHelpText(
      "after",
      `
No gateway has to run. The index refers to each provider's document at the gateway.

Example:
  insurance-gateway openapi provider-d > provider-d.json`,
    )
    .action(async (name: string | undefined, options: AddressOption, command: Command) => {
      const { printDocument } = await import("./write-reference.ts");
      await printDocument(name, options, command);
    });

  program
    .command("collections")
    .description("write the request collections for Postman and Bruno into a folder")
    .argument("[provider]", "only those of this provider, by its segment or id")
    .option("--out <folder>", "the folder; created if it does not exist", "collections")
    .option("--address <url>", "the base address that they call, instead of the configured one")
    .addHelpText(
      "after",
      `
No gateway has to run. Put your token into the environment of the client, where it is kept as a secret.

Example:
  insurance-gateway collections --out collections`,
    )
    .action(async (name: string | undefined, options: CollectionsOptions, command: Command) => {
      const { writeCollections } = await import("./write-reference.ts");
      await writeCollections(name, options, command);
    });
}
