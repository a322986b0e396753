import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Provider } from "@insurance-gateway/core/contract";
import { contractVersion, isProvider, providerFaults } from "@insurance-gateway/core/runtime";
import { type Adapter, declared } from "../index.ts";
import { providerOf, type RouteData } from "./route-data.ts";

/** An installed package of a provider. */
export interface ProviderPackage {
  readonly provider: Provider;
  /** The folder of the package; null if the package does not export its package.json. */
  readonly folder: string | null;
}

/**
 * Loads a provider's package. This runs the package's code.
 * @param folder - the folder where Node's search starts. In a workspace, the packages of the workspace are searched
 *   first.
 * @param name - the name of the package
 * @returns the package, or its fault as a sentence that begins with the name of the package
 */
export async function loadProviderPackage(
  folder: string,
  name: string,
): Promise<ProviderPackage | { readonly fault: string }> {
  const file = resolvePackageFile(folder, name);
  if (file === null)
    return { fault: `${name} is not installed in ${folder}; run npm install ${name} there` };
  let loaded: LoadedProvider;
  try {
    loaded = readDescription(folder, name) ?? (await loadDeclarations(file));
  } catch (error) {
    return { fault: `${name} cannot be loaded: ${errorMessageOf(error)}` };
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

interface LoadedProvider {
  readonly provider: Provider | undefined;
  /** True if the package's build has already checked the declarations. */
  readonly isChecked: boolean;
}

/**
 * Reads the provider's description, which the package's build wrote. The declarations are loaded only when a schema is
 * first needed. This saves a second and 200 MB for 1,484 endpoints. Returns null if the package has no description.
 */
function readDescription(folder: string, name: string): LoadedProvider | null {
  const data = resolvePackageFile(folder, name, "/gateway.json");
  const bundle = resolvePackageFile(folder, name, "/gateway");
  if (data === null || bundle === null || !existsSync(data)) return null;
  // The package's build wrote the file from a value of this type.
  const description = JSON.parse(readFileSync(data, "utf8")) as RouteData;
  let loaded: Provider | undefined;
  const load = (): Provider => {
    try {
      loaded ??= exportedProvider(createRequire(bundle)(bundle));
    } catch (error) {
      throw new TypeError(`${name} cannot be loaded: ${errorMessageOf(error)}`, { cause: error });
    }
    if (loaded === undefined) throw new TypeError(`${name}/gateway exports no provider`);
    return loaded;
  };
  return { provider: providerOf(description, load), isChecked: true };
}

async function loadDeclarations(file: string): Promise<LoadedProvider> {
  return { provider: exportedProvider(await import(pathToFileURL(file).href)), isChecked: false };
}

function exportedProvider(module: unknown): Provider | undefined {
  return Object.values(Object(module)).find(isProvider);
}

function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : "?";
}

/** Returns the faults of a provider's declaration. A value that is not a declaration has one fault. */
function declarationFaults(provider: Provider): readonly string[] {
  try {
    return providerFaults(provider);
  } catch (error) {
    return [`it cannot be checked: ${errorMessageOf(error)}`];
  }
}

/**
 * Loads the adapter of a provider's package. This runs the package's code.
 * @param chosen - `declared` for an insurer that offers the declared contract; the package's own adapter is then
 *   ignored
 * @returns the adapter, `declared` if the package has no adapter, or the fault that makes the adapter unusable
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
      fault: `${name}/adapter cannot be loaded: ${errorMessageOf(error)}`,
    };
  }
}

function isAdapter(value: unknown): value is Adapter {
  return typeof value === "object" && value !== null && "failures" in value && "call" in value;
}

/**
 * Finds a file that a package exports. The search starts in a folder. In a workspace, the packages of the workspace are
 * searched first.
 * @param subpath - the name of the export with its slash, such as `/sandbox`
 * @returns null if the file does not exist
 */
export function resolvePackageFile(folder: string, name: string, subpath = ""): string | null {
  const workspacePackage = join(folder, "packages", name.replace(/^.*\//, ""));
  for (const place of [workspacePackage, folder])
    try {
      return createRequire(join(place, "package.json")).resolve(name + subpath);
    } catch (error) {
      // The package was found, but does not export the file. A file of another installation would not belong to this
      // package.
      if (Object(error).code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return null;
      // The package is not in this folder; search the next folder.
    }
  return null;
}
