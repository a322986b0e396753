import {
  type DeclaredConfiguration,
  type InstalledProvider,
  loadDeclared,
} from "@insurance-gateway/gateway/folder";
import { readReference, referenceOf } from "@insurance-gateway/gateway/reference";
import type { Command } from "commander";
import { namesCommand } from "../declarations.ts";
import type { DiscreetCommand } from "../discreet-command.ts";
import { print } from "../output/print.ts";
import { completeEndpointCommand } from "./endpoint-command.ts";

/**
 * Runs what follows `insurance-gateway call`.
 * @param parent - the command, with the words that follow it as its arguments
 */
export async function runCall(parent: Command): Promise<void> {
  const declared = await loadDeclared(process.env, process.cwd());
  const { args } = parent;
  const providers = providersCommand(parent, declared, args);
  // Without an endpoint, the command lists what there is.
  const listed =
    args.length === 0 ? providers : args.length === 1 ? named(providers, args[0]) : null;
  if (listed === null) await providers.parseAsync(args, { from: "user" });
  else await print(listed.helpInformation().trimEnd());
}

function named(command: Command, name: string | undefined): Command | null {
  const is = (one: Command): boolean => [one.name(), ...one.aliases()].includes(name ?? "");
  return command.commands.find(is) ?? null;
}

/** The command whose subcommands are the providers. */
function providersCommand(
  parent: Command,
  declared: DeclaredConfiguration,
  parameters: readonly string[],
): Command {
  const command = namesCommand("provider", parent)
    .name("insurance-gateway call")
    .usage(parent.usage())
    .showHelpAfterError("(insurance-gateway call lists the providers)")
    .commandsGroup("Providers:");
  const { installed } = declared;
  for (const provider of installed) {
    const { id, lines, name } = provider.provider;
    const named = command.command(provider.segment).description([name, ...lines].join(", "));
    if (id !== provider.segment && isOnlyName(id, provider, installed)) named.alias(id);
    if ([named.name(), named.alias()].includes(parameters[0] ?? ""))
      completeProviderCommand(named, provider, declared, parameters);
  }
  return command;
}

/** Whether an id names exactly one provider, and is not the segment of another: a package may be served twice. */
function isOnlyName(
  id: string,
  itself: InstalledProvider,
  installed: readonly InstalledProvider[],
): boolean {
  return installed.every(
    (other) => other === itself || (other.segment !== id && other.provider.id !== id),
  );
}

/** Adds the endpoints to the command of a provider. Only the called one gets its flags, because that takes time. */
function completeProviderCommand(
  command: DiscreetCommand,
  provider: InstalledProvider,
  declared: DeclaredConfiguration,
  parameters: readonly string[],
): void {
  command.subcommandsAre = "endpoint";
  command
    .usage("<endpoint> [flags]")
    .helpCommand(false)
    .showHelpAfterError(`(insurance-gateway call ${provider.segment} lists its endpoints)`)
    .commandsGroup("Endpoints:");
  const document = readReference(provider);
  for (const [name, endpoint] of Object.entries(provider.provider.endpoints)) {
    const reference = referenceOf(document, endpoint);
    const route = `${endpoint.kind}: ${endpoint.method} /${provider.segment}${endpoint.path}`;
    const words = reference.summary === null ? route : `${reference.summary} (${route})`;
    const named = command.command(name).description(words);
    if (name === parameters[1])
      completeEndpointCommand(named, {
        declared,
        provider,
        name,
        endpoint,
        reference,
        parameters,
      });
  }
}
