import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";

const packages = fileURLToPath(new URL("../../../../packages", import.meta.url));

/**
 * Puts a provider's package into a gateway's folder, with what a package manager would install beside it.
 * @param source - its module, which imports core and `zod`
 * @param adapter - the source of its own adapter, where it has one
 * @returns the address of the module
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
 * Makes a gateway's folder in which a provider of the test's own is installed.
 * @param module - the address of the module that exports it
 */
export function makeFolderWithProvider(name: string, module: URL): GatewayFolder {
  const folder = makeGatewayFolder();
  installPackage(folder, name, `export * from ${JSON.stringify(module.href)};`);
  return folder;
}
