import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadProviderPackage } from "@insurance-gateway/adapter/installation";
import type { Provider } from "@insurance-gateway/core/contract";
import { ConfigurationError } from "./configuration-error.ts";
import { type ReferenceTexts, readReferenceTexts } from "./reference-texts.ts";

/** A provider with the declarations of its package and the texts of its reference documentation. */
export interface InstalledProvider {
  readonly provider: Provider;
  readonly texts: ReferenceTexts;
}

const SCOPE = "@insurance-gateway";
const PREFIX = "provider-";
/** Matches the package names that npm allows, but no paths. */
const PACKAGE_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * Loads provider packages.
 * @param folder - the folder in which Node.js's package search starts; in a workspace, the workspace's packages are
 * searched first
 * @param names - the names of the packages; by default, every installed `@insurance-gateway/provider-*` with endpoints
 * @throws ConfigurationError with all faults
 */
export async function loadProviders(
  folder: string,
  names: readonly string[] | undefined,
): Promise<readonly InstalledProvider[]> {
  const wanted = names ?? installedNames(folder);
  if (wanted.length === 0)
    throw new ConfigurationError([
      `no ${SCOPE}/${PREFIX}* is installed in ${folder}: run npm install there, or start the server in the folder that has them`,
    ]);
  const faults: string[] = [];
  const installed: InstalledProvider[] = [];
  for (const name of new Set(wanted)) {
    const found = PACKAGE_NAME.test(name)
      ? await loadProviderPackage(folder, name)
      : { fault: "--provider must name packages" };
    if ("fault" in found) {
      faults.push(found.fault);
      continue;
    }
    const { provider } = found;
    if (installed.some((other) => other.provider.id === provider.id))
      faults.push(`${name}: another package already has the provider ${provider.id}`);
    else if (Object.keys(provider.endpoints).length > 0)
      installed.push({ provider, texts: readReferenceTexts(found.folder) });
    else if (names !== undefined) faults.push(`${name} declares no endpoint yet`);
  }
  if (faults.length > 0) throw new ConfigurationError(faults);
  return installed;
}

/**
 * Returns the names of the provider packages that Node.js finds from a folder. Private packages have no endpoints yet
 * and are skipped.
 */
function installedNames(folder: string): readonly string[] {
  const workspace = existsSync(join(folder, "pnpm-workspace.yaml"))
    ? [join(folder, "packages")]
    : [];
  const scopes = ancestors(folder).map((each) => join(each, "node_modules", SCOPE));
  const names = [...workspace, ...scopes]
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((entry) => manifestOf(join(parent, entry))))
    .filter((manifest) => manifest?.private !== true)
    .map((manifest) => manifest?.name ?? "")
    .filter((name) => name.startsWith(`${SCOPE}/${PREFIX}`));
  return [...new Set(names)].toSorted();
}

/** Returns the folder and its parents, in whose node_modules Node.js searches. */
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
  // The package manager has already checked that this file is valid JSON.
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Manifest) : null;
}
