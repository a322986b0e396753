import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Adapter, declared } from "../adapter/index.ts";
import { contractVersion, isProvider, type Provider, providerFaults } from "../contract/index.ts";
import { providerOf, type RouteData } from "./route-data.ts";

/** A provider's package as it is installed. */
export interface ProviderPackage {
  readonly provider: Provider;
  /** The package's folder; null for one that does not export its package.json. */
  readonly folder: string | null;
}

/**
 * Loads a provider's package, and runs its code.
 * @param folder - where it is looked up from, as Node does; where it is a workspace, in its packages first
 * @param name - of the package
 * @returns what is wrong with it where it cannot be used, in words that begin with its name
 */
export async function loadProviderPackage(
  folder: string,
  name: string,
): Promise<ProviderPackage | { readonly fault: string }> {
  const file = resolvePackageFile(folder, name);
  if (file === null)
    return { fault: `${name} is not installed in ${folder}; run npm install ${name} there` };
  let loaded: Loaded;
  try {
    loaded = described(folder, name) ?? (await declarations(file));
  } catch (error) {
    return { fault: `${name} cannot be loaded: ${messageOf(error)}` };
  }
  const { isChecked, provider } = loaded;
  if (provider === undefined) return { fault: `${name} exports no provider` };
  if (provider.contract !== contractVersion)
    return {
      fault: `${name} is of another contract version than this program; install versions that fit together`,
    };
  const faults = isChecked ? [] : declarationFaults(provider);
  if (faults.length > 0)
    return { fault: `${name} declares what cannot be served:\n- ${faults.join("\n- ")}` };
  const manifest = resolvePackageFile(folder, name, "/package.json");
  return { provider, folder: manifest === null ? null : dirname(manifest) };
}

interface Loaded {
  readonly provider: Provider | undefined;
  /** Whether its build has refused what cannot be served. */
  readonly isChecked: boolean;
}

/**
 * The provider as its build described it: 1,484 endpoints take a second and 200 MB less than their declarations, which
 * are loaded when one of their schemas is first needed. Null where the package has no description.
 */
function described(folder: string, name: string): Loaded | null {
  const data = resolvePackageFile(folder, name, "/gateway.json");
  const bundle = resolvePackageFile(folder, name, "/gateway");
  if (data === null || bundle === null || !existsSync(data)) return null;
  // The package's own build wrote it, in this form.
  const description = JSON.parse(readFileSync(data, "utf8")) as RouteData;
  let loaded: Provider | undefined;
  const load = (): Provider => {
    try {
      loaded ??= providerIn(createRequire(bundle)(bundle));
    } catch (error) {
      throw new TypeError(`${name} cannot be loaded: ${messageOf(error)}`, { cause: error });
    }
    if (loaded === undefined) throw new TypeError(`${name}/gateway exports no provider`);
    return loaded;
  };
  return { provider: providerOf(description, load), isChecked: true };
}

async function declarations(file: string): Promise<Loaded> {
  return { provider: providerIn(await import(pathToFileURL(file).href)), isChecked: false };
}

function providerIn(module: unknown): Provider | undefined {
  return Object.values(Object(module)).find(isProvider);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "?";
}

/** The faults of a declaration; one that has not even the form of a declaration cannot be checked. */
function declarationFaults(provider: Provider): readonly string[] {
  try {
    return providerFaults(provider);
  } catch (error) {
    return [`it cannot be checked: ${messageOf(error)}`];
  }
}

/**
 * Loads the adapter of a provider's package, and runs its code.
 * @param chosen - `declared` for an insurer that speaks the declared contract, whatever the package's own adapter speaks
 * @returns `declared` also where the package has none of its own; what is wrong with one that cannot be used
 */
export async function loadAdapter(
  folder: string,
  name: string,
  chosen?: "declared",
): Promise<Adapter | { readonly fault: string }> {
  const file = resolvePackageFile(folder, name, "/adapter");
  if (file === null || chosen === "declared") return declared;
  try {
    const module: unknown = await import(pathToFileURL(file).href);
    const adapter = Object.values(Object(module)).find(isAdapter);
    return adapter ?? { fault: `${name}/adapter exports no adapter` };
  } catch (error) {
    return {
      fault: `${name}/adapter cannot be loaded: ${messageOf(error)}`,
    };
  }
}

function isAdapter(value: unknown): value is Adapter {
  return typeof value === "object" && value !== null && "failures" in value && "call" in value;
}

/**
 * The file of a package as seen from a folder, or from the package of a workspace in it.
 * @param subpath - what the package exports, with its slash: `/sandbox`
 * @returns null where there is none
 */
export function resolvePackageFile(folder: string, name: string, subpath = ""): string | null {
  const workspacePackage = join(folder, "packages", name.replace(/^.*\//, ""));
  for (const place of [workspacePackage, folder])
    try {
      return createRequire(join(place, "package.json")).resolve(name + subpath);
    } catch (error) {
      // The package is there, and a subpath of another installation of it would not belong to it.
      if (Object(error).code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return null;
      // Not there: the next place, or null.
    }
  return null;
}
