// Functions for commands in a gateway's folder: they read the folder's configuration, and send commands to the gateway
// processes of the folder.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { type Configuration, type Environment, loadConfiguration } from "../configuration/load.ts";
import { type InstalledProvider, installProviders } from "../configuration/providers.ts";
import { type ProcessAnswer, type ProcessCommands, sendToProcesses } from "../reload/control.ts";

export { Refusal } from "@insurance-gateway/core/runtime";
export { undeclaredProviders } from "../configuration/workspace.ts";
export type { Difference, UnmatchedAnswer } from "../events.ts";
export type { RecordedExample } from "../insurers/drift/recording.ts";
export { parseJson } from "../json.ts";
export type { CountedKind } from "../operator/observation/counted-answers.ts";
export { type Configuration, type Environment, type InstalledProvider, loadConfiguration };

/** A configuration, with the declarations of the configured providers. */
export interface DeclaredConfiguration {
  readonly configuration: Configuration;
  readonly installed: readonly InstalledProvider[];
}

/**
 * Loads the providers of the configuration as `serve` does, but reads no secret, because the command's user may be a
 * caller, who does not have the insurers' credentials.
 * @throws ConfigurationError with every fault
 */
export async function loadDeclared(
  environment: Environment,
  folder: string,
): Promise<DeclaredConfiguration> {
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

/** The answers of all gateway processes that use a data folder. */
export interface GatewayAnswers<Name extends keyof ProcessCommands> {
  readonly data: string;
  readonly answers: readonly ProcessAnswer<Name>[];
}

/** Sends a command to every gateway process that uses the configured data folder. */
export async function sendToGateways<Name extends keyof ProcessCommands>(
  name: Name,
): Promise<GatewayAnswers<Name>> {
  const data = dataFolder(process.env, process.cwd());
  return { data, answers: await sendToProcesses(data, name) };
}

/** Returns the configured data folder, even if the configuration has other faults. */
function dataFolder(environment: Environment, workingFolder: string): string {
  const file = resolve(workingFolder, environment.GATEWAY_CONFIG ?? "gateway.config.json");
  if (environment.GATEWAY_DATA !== undefined)
    return resolve(dirname(file), environment.GATEWAY_DATA);
  return resolve(dirname(file), dataOf(file, environment.GATEWAY_CONFIG !== undefined));
}

function dataOf(file: string, mustExist: boolean): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    if (mustExist) throw new ConfigurationError(file, ["the file cannot be read"]);
    return "./data";
  }
  try {
    const data: unknown = Reflect.get(Object(JSON.parse(text)), "data");
    return typeof data === "string" ? data : "./data";
  } catch {
    throw new ConfigurationError(file, ["the file is not JSON"]);
  }
}
