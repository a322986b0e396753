import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Provider } from "@insurance-gateway/core/contract";
import { loadProviderPackage } from "@insurance-gateway/core/installation";
import { ConfigurationError } from "./configuration-error.ts";
import { type ReferenceTexts, readReferenceTexts } from "./reference-texts.ts";

/** A provider with its declarations. */
export interface InstalledProvider {
  readonly provider: Provider;
  readonly texts: ReferenceTexts;
}

const SCOPE = "@insurance-gateway";
const PREFIX = "provider-";
/** A name that npm takes, so that no path is mistaken for a package. */
const PACKAGE_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * Loads provider packages.
 * @param folder - where they are looked up from, as Node does; where it is a workspace, in its packages first
 * @param names - of the packages; every installed `@insurance-gateway/provider-*` that declares an endpoint when left out
 * @throws ConfigurationError with every fault
 */
export async function installProviders(
  folder: string,
  names: readonly string[] | undefined,
): Promise<readonly InstalledProvider[]> {
  const wanted = names ?? installedNames(folder);
  if (wanted.length === 0)
    throw new ConfigurationError([
      `no ${SCOPE}/${PREFIX}* is installed in ${folder}: run npm install there, or start this in the folder that has them`,
    ]);
  const faults: string[] = [];
  const installed: InstalledProvider[] = [];
  for (const name of new Set(wanted)) {
    const found = PACKAGE_NAME.test(name)
      ? await loadProviderPackage(folder, name)
      : { fault: "--provider must be the names of packages" };
    if ("fault" in found) {
      faults.push(found.fault);
      continue;
    }
    const { provider } = found;
    if (installed.some((other) => other.provider.id === provider.id))
      faults.push(`${name}: its provider ${provider.id} is there already`);
    else if (Object.keys(provider.endpoints).length > 0)
      installed.push({ provider, texts: readReferenceTexts(found.folder) });
    else if (names !== undefined) faults.push(`${name} declares no endpoint yet`);
  }
  if (faults.length > 0) throw new ConfigurationError(faults);
  return installed;
}

/** The names of the provider packages that can be found from a folder; private ones declare nothing yet. */
function installedNames(folder: string): readonly string[] {
  const workspace = existsSync(join(folder, "pnpm-workspace.yaml"))
    ? [join(folder, "packages")]
    : [];
  const scopes = ancestors(folder).map((place) => join(place, "node_modules", SCOPE));
  const names = [...workspace, ...scopes]
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place).map((entry) => manifestOf(join(place, entry))))
    .filter((manifest) => manifest?.private !== true)
    .map((manifest) => manifest?.name ?? "")
    .filter((name) => name.startsWith(`${SCOPE}/${PREFIX}`));
  return [...new Set(names)].toSorted();
}

/** The folder and those above it: Node looks for a package in the node_modules of each. */
function ancestors(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}

interface Manifest {
  readonly name?: string;
  readonly private?: boolean;
}

function manifestOf(folder: string): Manifest | null {
  const file = join(folder, "package.json");
  // An installed package's, which its package manager has read before.
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Manifest) : null;
}
