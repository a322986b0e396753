import type { InstalledProvider } from "@insurance-gateway/gateway/folder";
import type { Command } from "commander";
import { DiscreetCommand } from "./discreet-command.ts";

/**
 * Finds the providers of a segment or id.
 * @param command - refuses a name that no provider has, and suggests similar ones
 * @throws CommanderError for such a name
 */
export function chooseProviders(
  installed: readonly InstalledProvider[],
  name: string,
  command: Command,
): readonly InstalledProvider[] {
  const chosen = installed.filter(
    ({ provider, segment }) => segment === name || provider.id === name,
  );
  if (chosen.length > 0) return chosen;
  const names = namesCommand("provider", command);
  for (const { segment } of installed) names.command(segment);
  names.parse([name], { from: "user" });
  return [];
}

/** A command whose subcommands are names; one that is none of them is unknown, and near ones are suggested. */
export function namesCommand(what: string, parent: Command): DiscreetCommand {
  const command = new DiscreetCommand().copyInheritedSettings(parent).helpCommand(false);
  command.subcommandsAre = what;
  return command;
}
