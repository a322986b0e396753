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
  postmanCollectionOfProviders,
  postmanEnvironment,
  sitePaths,
} from "@insurance-gateway/reference";
import type { Command } from "commander";
import { addressFault } from "./address.ts";
import { refuse } from "./command-parts.ts";
import { findProviders } from "./declarations.ts";
import { print } from "./output/print.ts";

/**
 * The option for the base address at which callers reach the gateway. Documents and collections contain this address.
 */
export interface AddressOption {
  readonly address?: string;
}

/** The options of the command `collections`. */
export interface CollectionsOptions extends AddressOption {
  readonly out: string;
}

/**
 * Prints the OpenAPI document of the provider with the given segment or ID, or the index of all documents.
 * @param command - reports faults of the command line
 */
export async function printDocument(
  name: string | undefined,
  options: AddressOption,
  command: Command,
): Promise<void> {
  const { address, basePath, providers } = await loadReference(name, options, command);
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
 * Writes the request collections of the provider with the given segment or ID, or of all providers, and prints the file
 * names.
 * @param command - reports faults of the command line
 */
export async function writeCollections(
  name: string | undefined,
  options: CollectionsOptions,
  command: Command,
): Promise<void> {
  const { address, providers } = await loadReference(name, options, command);
  createFolder(options.out, command);
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

function createFolder(folder: string, command: Command): void {
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory())
    refuse(command, `--out: ${folder} is a file; name a folder`);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const [code = "?"] = error instanceof Error && "code" in error ? [String(error.code)] : [];
    refuse(command, `--out: the folder ${folder} cannot be created (${code})`);
  }
}

/** The name of the gateway itself in the list of providers. */
const GATEWAY_NAME = "gateway";

function printDocumentFault({ id }: { readonly id: string }, error: unknown): void {
  const reason = error instanceof Error ? error.message : "?";
  process.stderr.write(`The document of ${id} cannot be written: ${reason}\n`);
}

interface LoadedReference {
  /** The providers, including the gateway itself. */
  readonly providers: readonly ProviderOnPage[];
  readonly address: string;
  readonly basePath: string;
}

async function loadReference(
  name: string | undefined,
  { address }: AddressOption,
  command: Command,
): Promise<LoadedReference> {
  const { configuration, installed } = await loadDeclared(process.env, process.cwd());
  const chosen =
    name === undefined || name === GATEWAY_NAME
      ? installed
      : findProviders(installed, name, command);
  const { listen, reference } = configuration;
  const fault = address === undefined ? null : addressFault(address, listen.basePath);
  if (fault !== null) refuse(command, `--address ${fault}`);
  const scheme = listen.tls === undefined ? "http" : "https";
  const listening = `${scheme}://${listen.host}:${listen.port}${listen.basePath}`;
  const hasSandbox = installed.some(({ upstream }) => "sandbox" in upstream);
  const described = catalogueOf(chosen, [], printDocumentFault);
  return {
    providers: [
      ...(name === GATEWAY_NAME ? [] : described),
      ...(name === undefined || name === GATEWAY_NAME
        ? [gatewayItself(described, { hasSandbox })]
        : []),
    ],
    address: address?.replace(/\/+$/, "") ?? reference.address ?? listening,
    basePath: listen.basePath,
  };
}
