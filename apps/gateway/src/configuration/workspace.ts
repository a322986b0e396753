import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadProviderPackage } from "@insurance-gateway/adapter/installation";
import type { Provider } from "@insurance-gateway/core/contract";
import { ConfigurationError } from "./configuration-error.ts";

/** The keyword that marks a provider's package. */
const PROVIDER_KEYWORD = "insurance-gateway-provider";

/**
 * Returns the configuration for a workspace without a configuration file: every provider that declares an endpoint,
 * each with its sandbox. Private packages are omitted, because their providers declare no endpoint yet.
 * @throws ConfigurationError if the folder is not a workspace
 */
export function workspaceConfiguration(folder: string): unknown {
  if (!existsSync(join(folder, "pnpm-workspace.yaml")) || !existsSync(join(folder, "packages")))
    throw new ConfigurationError(folder, [
      "there is no gateway.config.json in this folder; create one, or set GATEWAY_CONFIG",
    ]);
  const providers = providerManifests(folder)
    .filter((manifest) => manifest.private !== true)
    .map(({ name }) => ({ package: name, upstream: "sandbox" }));
  return { providers };
}

/**
 * Returns the providers of a workspace that declare no endpoint yet. Their packages are private, and the gateway does
 * not serve them. Only a workspace without a configuration file has such providers. A package that cannot be loaded,
 * because it is not built, is omitted.
 */
export async function undeclaredProviders({
  folder,
  workspace,
}: {
  readonly folder: string;
  readonly workspace: boolean;
}): Promise<readonly Provider[]> {
  if (!workspace) return [];
  const found = await Promise.all(
    providerManifests(folder)
      .filter((manifest) => manifest.private === true)
      .map(({ name }) => loadProviderPackage(folder, name)),
  );
  return found
    .flatMap((one) => ("fault" in one ? [] : [one.provider]))
    .filter(({ endpoints }) => Object.keys(endpoints).length === 0);
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly keywords?: readonly string[];
}

/** Returns the manifests of the provider packages in a workspace. */
function providerManifests(folder: string): readonly Manifest[] {
  const packages = join(folder, "packages");
  if (!existsSync(packages)) return [];
  return readdirSync(packages)
    .map((name) => join(packages, name, "package.json"))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, "utf8")) as Manifest) // pnpm has checked the file
    .filter(({ keywords }) => keywords?.includes(PROVIDER_KEYWORD) === true);
}
