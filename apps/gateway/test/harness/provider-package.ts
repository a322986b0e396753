import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";

const packages = fileURLToPath(new URL("../../../../packages", import.meta.url));

/**
 * Installs a provider's package in a gateway's folder, with its dependencies.
 * @param source - the source of the module, which imports core and `zod`
 * @param adapter - the source of the adapter, if the package has one
 * @returns the module's address
 */
export function installPackage(
  folder: GatewayFolder,
  name: string,
  source: string,
  adapter?: string,
): string {
  const installed = join(folder.path, "node_modules", name);
  mkdirSync(join(installed, "node_modules", "@insurance-gateway"), { recursive: true });
  for (const own of ["core", "adapter"])
    symlinkSync(join(packages, own), join(installed, "node_modules", "@insurance-gateway", own));
  symlinkSync(join(packages, "core/node_modules/zod"), join(installed, "node_modules", "zod"));
  const manifest = {
    type: "module",
    exports: {
      ".": "./index.js",
      "./package.json": "./package.json",
      ...(adapter === undefined ? {} : { "./adapter": "./adapter.js" }),
    },
  };
  writeFileSync(join(installed, "package.json"), JSON.stringify(manifest));
  if (adapter !== undefined) writeFileSync(join(installed, "adapter.js"), adapter);
  const module = join(installed, "index.js");
  writeFileSync(module, source);
  return pathToFileURL(module).href;
}

/**
 * Creates a gateway's folder in which a provider's package is installed.
 * @param module - the address of the module that exports the provider
 */
export function makeFolderWithProvider(name: string, module: URL): GatewayFolder {
  const folder = makeGatewayFolder();
  installPackage(folder, name, `export * from ${JSON.stringify(module.href)};`);
  return folder;
}
