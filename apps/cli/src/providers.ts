import type { Command } from "commander";

/** Adds the command that lists the providers. */
export function registerProviders(program: Command): void {
  program
    .command("providers")
    .description("list the providers of the configuration")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
No gateway has to run, and no secret is read.

Example:
  insurance-gateway providers`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const { listProviders } = await import("./list-providers.ts");
      await listProviders(json === true);
    });
}
