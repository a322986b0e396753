import type { InstalledProvider } from "@insurance-gateway/gateway/folder";
import type { Command } from "commander";
import { RedactingCommand } from "./redacting-command.ts";

/**
 * Finds the providers with the given segment or ID.
 * @param command - reports an unknown name and suggests similar names
 * @throws CommanderError for an unknown name
 */
export function findProviders(
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

/**
 * Creates a command whose subcommands are names, such as providers' names. For an unknown name, the command suggests
 * similar names.
 */
export function namesCommand(what: string, parent: Command): RedactingCommand {
  const command = new RedactingCommand().copyInheritedSettings(parent).helpCommand(false);
  command.subcommandWord = what;
  return command;
}
