import type { InstalledProvider } from "@insurance-gateway/gateway/folder";
import type { Command } from "commander";
import { DiscreetCommand } from "./discreet-command.ts";

/**
 * Finds the providers with a segment or an ID.
 * @param command - reports an unknown name, with similar names
 * @throws CommanderError for an unknown name
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

/** Creates a command with names as subcommands. For an unknown name, it suggests similar names. */
export function namesCommand(what: string, parent: Command): DiscreetCommand {
  const command = new DiscreetCommand().copyInheritedSettings(parent).helpCommand(false);
  command.subcommandWord = what;
  return command;
}
