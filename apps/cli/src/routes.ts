import { kindPolicies } from "@insurance-gateway/core/contract";
import { type Command, Option } from "commander";
import type { RoutesOptions } from "./list-routes.ts";

/** Adds the command that lists the routes. */
export function registerRoutes(program: Command): void {
  program
    .command("routes")
    .description("list the routes of the configured providers")
    .argument("[provider]", "only those of this provider, by its segment or id")
    .addOption(
      new Option("--kind <kind>", "only those of this kind").choices(Object.keys(kindPolicies)),
    )
    .option("--search <text>", "only routes that contain this text in any column")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
No gateway has to run. A parameter with * is required.

Example:
  insurance-gateway routes --search applications`,
    )
    .action(async (name: string | undefined, options: RoutesOptions, command: Command) => {
      const { listRoutes } = await import("./list-routes.ts");
      await listRoutes(name, options, command);
    });
}
