import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadProviderPackage } from "@insurance-gateway/adapter/installation";
import type { Provider } from "@insurance-gateway/core/contract";
import { ConfigurationError } from "./configuration-error.ts";

/** The keyword by which tools know a provider's package. */
const KEYWORD = "insurance-gateway-provider";

/**
 * The configuration of a workspace without a configuration file: every provider that declares an endpoint
 * (one that does not is private), each with its sandbox.
 * @throws ConfigurationError when the folder is not a workspace
 */
export function workspaceConfiguration(folder: string): unknown {
  if (!existsSync(join(folder, "pnpm-workspace.yaml")) || !existsSync(join(folder, "packages")))
    throw new ConfigurationError(folder, [
      "there is no gateway.config.json here; write one, or name it with GATEWAY_CONFIG",
    ]);
  const providers = providerManifests(folder)
    .filter((manifest) => manifest.private !== true)
    .map(({ name }) => ({ package: name, upstream: "sandbox" }));
  return { providers };
}

/**
 * The providers of a workspace that declare no endpoint yet: their packages are private, and nothing is served. They are
 * looked for only where there is no configuration file; one that cannot be loaded, because it is not built yet, is left out.
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

/** The manifests of the providers in the packages of a workspace. */
function providerManifests(folder: string): readonly Manifest[] {
  const packages = join(folder, "packages");
  if (!existsSync(packages)) return [];
  return readdirSync(packages)
    .map((name) => join(packages, name, "package.json"))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, "utf8")) as Manifest) // pnpm has read it before
    .filter(({ keywords }) => keywords?.includes(KEYWORD) === true);
}
