import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadDeclared } from "@insurance-gateway/gateway/folder";
import { catalogueOf } from "@insurance-gateway/gateway/reference";
import {
  brunoCollectionOfProviders,
  deployedDocument,
  gatewayItself,
  indexDocument,
  type ProviderOnPage,
  postmanEnvironment,
  postmanCollectionOfProviders,
  sitePaths,
} from "@insurance-gateway/reference";
import type { Command } from "commander";
import { addressFault } from "./address.ts";
import { refuse } from "./command-parts.ts";
import { chooseProviders } from "./declarations.ts";
import { print } from "./output/print.ts";

/** Where callers reach the gateway, as documents and collections say it. */
export interface AddressOption {
  readonly address?: string;
}

/** The folder of the collections, next to it. */
export interface CollectionsOptions extends AddressOption {
  readonly out: string;
}

/**
 * Prints the OpenAPI document of a provider, by its segment or id, or the index of all.
 * @param command - refuses what is wrong with the command line
 */
export async function printDocument(
  name: string | undefined,
  options: AddressOption,
  command: Command,
): Promise<void> {
  const { address, basePath, providers } = await load(name, options, command);
  const [chosen] = providers;
  if (name === undefined) {
    const { providerFile } = sitePaths(basePath);
    const documentAt = (segment: string): string =>
      address.slice(0, address.length - basePath.length) + providerFile(segment, "openapi.json");
    await print(JSON.stringify(indexDocument(providers, address, documentAt), null, 2));
  } else if (chosen?.document != null) {
    const { document, segment } = chosen;
    await print(JSON.stringify(deployedDocument(document, { address, segment }), null, 2));
  }
}

/**
 * Writes the collections of a provider, by its segment or id, or of all, and prints the files.
 * @param command - refuses what is wrong with the command line
 */
export async function writeCollections(
  name: string | undefined,
  options: CollectionsOptions,
  command: Command,
): Promise<void> {
  const { address, providers } = await load(name, options, command);
  makeFolder(options.out, command);
  const files: Readonly<Record<string, string | Uint8Array>> = {
    "postman.json": postmanCollectionOfProviders(providers, { address, scenarios: [] }),
    "postman-environment.json": JSON.stringify(postmanEnvironment(address), null, 2),
    "bruno.zip": await brunoCollectionOfProviders(providers, { address, scenarios: [] }),
  };
  for (const [file, content] of Object.entries(files)) {
    const path = join(options.out, file);
    writeFileSync(path, content);
    await print(path);
  }
}

function makeFolder(folder: string, command: Command): void {
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory())
    refuse(command, `--out: ${folder} is a file; name a folder`);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const [code = "?"] = error instanceof Error && "code" in error ? [String(error.code)] : [];
    refuse(command, `--out: the folder ${folder} cannot be made (${code})`);
  }
}

/** Names the gateway itself among the providers. */
const GATEWAY = "gateway";

function reportFault({ id }: { readonly id: string }, error: unknown): void {
  const reason = error instanceof Error ? error.message : "?";
  process.stderr.write(`The document of ${id} cannot be written: ${reason}\n`);
}

interface Loaded {
  /** The gateway itself among them. */
  readonly providers: readonly ProviderOnPage[];
  readonly address: string;
  readonly basePath: string;
}

async function load(
  name: string | undefined,
  { address }: AddressOption,
  command: Command,
): Promise<Loaded> {
  const { configuration, installed } = await loadDeclared(process.env, process.cwd());
  const chosen =
    name === undefined || name === GATEWAY ? installed : chooseProviders(installed, name, command);
  const { listen, reference } = configuration;
  const fault = address === undefined ? null : addressFault(address, listen.basePath);
  if (fault !== null) refuse(command, `--address ${fault}`);
  const scheme = listen.tls === undefined ? "http" : "https";
  const listening = `${scheme}://${listen.host}:${listen.port}${listen.basePath}`;
  const hasSandbox = installed.some(({ upstream }) => "sandbox" in upstream);
  const described = catalogueOf(chosen, [], reportFault);
  return {
    providers: [
      ...(name === GATEWAY ? [] : described),
      ...(name === undefined || name === GATEWAY ? [gatewayItself(described, { hasSandbox })] : []),
    ],
    address: address?.replace(/\/+$/, "") ?? reference.address ?? listening,
    basePath: listen.basePath,
  };
}
