import { type Configuration, type Environment, loadConfiguration } from "../configuration/load.ts";
import { type InstalledProvider, installProviders } from "../configuration/providers.ts";

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
