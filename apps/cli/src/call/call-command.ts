import {
  type DeclaredConfiguration,
  type InstalledProvider,
  loadDeclared,
} from "@insurance-gateway/gateway/folder";
import { readReference, referenceOf } from "@insurance-gateway/gateway/reference";
import type { Command } from "commander";
import { namesCommand } from "../declarations.ts";
import { print } from "../output/print.ts";
import type { RedactingCommand } from "../redacting-command.ts";
import { completeEndpointCommand } from "./endpoint-command.ts";

/**
 * Runs `insurance-gateway call`: calls an endpoint, or lists the providers or a provider's endpoints.
 * @param parent - the command `call` with its arguments
 */
export async function runCall(parent: Command): Promise<void> {
  const declared = await loadDeclared(process.env, process.cwd());
  const { args } = parent;
  const providers = providersCommand(parent, declared, args);
  // Without an endpoint, the command lists the providers or a provider's endpoints.
  const listed =
    args.length === 0 ? providers : args.length === 1 ? findSubcommand(providers, args[0]) : null;
  if (listed === null) await providers.parseAsync(args, { from: "user" });
  else await print(listed.helpInformation().trimEnd());
}

function findSubcommand(command: Command, name: string | undefined): Command | null {
  const is = (one: Command): boolean => [one.name(), ...one.aliases()].includes(name ?? "");
  return command.commands.find(is) ?? null;
}

/** Creates a command whose subcommands are the providers. */
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
    if (id !== provider.segment && isUniqueId(id, provider, installed)) named.alias(id);
    if ([named.name(), named.alias()].includes(parameters[0] ?? ""))
      completeProviderCommand(named, provider, declared, parameters);
  }
  return command;
}

/** Reports whether no other provider has this ID or segment. The same package may be served under several segments. */
function isUniqueId(
  id: string,
  itself: InstalledProvider,
  installed: readonly InstalledProvider[],
): boolean {
  return installed.every(
    (other) => other === itself || (other.segment !== id && other.provider.id !== id),
  );
}

/** Adds the endpoints to a provider's command. Only the called endpoint gets flags, because creating flags is slow. */
function completeProviderCommand(
  command: RedactingCommand,
  provider: InstalledProvider,
  declared: DeclaredConfiguration,
  parameters: readonly string[],
): void {
  command.subcommandWord = "endpoint";
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
