import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Manifest, readManifest } from "./manifest.ts";

/** A package of the workspace that is published. */
export interface WorkspacePackage {
  readonly name: string;
  /** The path in the repository: `packages/core`. */
  readonly path: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The package that every provider has as a peer dependency. */
const CORE = "@insurance-gateway/core";

/** The packages that every provider has as peer dependencies: applications install only core, gateways both. */
export const peersOfProviders: readonly string[] = [CORE, "@insurance-gateway/adapter"];

/** Reads the public packages of the workspace, each package after its dependencies. */
export function publishedPackages(root: string): readonly WorkspacePackage[] {
  const packages = globSync("{packages,apps,tooling}/*/package.json", { cwd: root })
    .map((file) => dirname(file))
    .toSorted()
    .map((path) => ({ path, folder: join(root, path), manifest: readManifest(join(root, path)) }))
    .filter(({ manifest }) => manifest.private !== true)
    .map((found) => ({ ...found, name: found.manifest.name }));
  const ordered = new Set<WorkspacePackage>();
  const add = (found: WorkspacePackage): void => {
    for (const name of dependenciesOf(found.manifest)) {
      const needed = packages.find((other) => other.name === name);
      if (needed !== undefined && needed !== found && !ordered.has(needed)) add(needed);
    }
    ordered.add(found);
  };
  for (const found of packages) add(found);
  return [...ordered];
}

/** Returns the names of the packages that are installed together with a package. */
export function dependenciesOf({ dependencies, peerDependencies }: Manifest): readonly string[] {
  return Object.keys({ ...dependencies, ...peerDependencies });
}

/** Reports whether a package is a provider package. */
export function isProvider(name: string): boolean {
  return name.startsWith("@insurance-gateway/provider-");
}
