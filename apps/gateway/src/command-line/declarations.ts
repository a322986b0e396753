import type { Command } from "commander";
import { type Configuration, type Environment, loadConfiguration } from "../configuration/load.ts";
import { type InstalledProvider, installProviders } from "../configuration/providers.ts";
import { DiscreetCommand } from "./discreet-command.ts";

/** A configuration with the declarations of its providers. */
export interface Declared {
  readonly configuration: Configuration;
  readonly installed: readonly InstalledProvider[];
}

/**
 * Loads the providers of the configuration as `serve` does, but reads no secret: a
 * caller of the gateway does not have the insurers' credentials.
 * @throws ConfigurationError with every fault
 */
export async function loadDeclared(environment: Environment, folder: string): Promise<Declared> {
  const configuration = loadConfiguration(environment, folder);
  const installed = await installProviders(withoutSecrets(configuration), environment);
  return { configuration, installed };
}

function withoutSecrets(configuration: Configuration): Configuration {
  return {
    ...configuration,
    providers: configuration.providers.map((provider) => {
      if (provider.upstream === "sandbox") return provider;
      const { adapter, baseUrl } = provider.upstream;
      return { ...provider, upstream: { adapter, baseUrl, credentials: { type: "none" } } };
    }),
  };
}

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
