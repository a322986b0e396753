import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Refusal } from "./refusal.ts";
import { registryParameters } from "./registry.ts";
import { dependenciesOf, type WorkspacePackage } from "./workspace.ts";

/** A package of the release with its packed tarball. */
export interface PackedPackage {
  readonly found: WorkspacePackage;
  readonly version: string;
  readonly tarball: string;
}

/**
 * A script that prints the faults of an installed package: entry points that fail with import or require, and commands
 * without --help. An entry point `./main` is a program for another process, so it only has to exist.
 */
const probeScript = `
import { createRequire } from "node:module";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
const require = createRequire(import.meta.url);
const [name, version] = process.argv.slice(2);
const manifest = require(name + "/package.json");
const faults = manifest.version === version ? [] : ["it reports the version " + manifest.version];
for (const path of Object.keys(manifest.exports ?? {})) {
  const entry = name + path.slice(1);
  try {
    if (path.endsWith(".json")) require(entry);
    else if (path === "./main") require.resolve(entry);
    else if (Object.keys(await import(entry)).join() !== Object.keys(require(entry)).join())
      faults.push(entry + " exports different names to require and import");
  } catch (error) {
    faults.push(entry + ": " + error.message.split("\\n")[0]);
  }
}
for (const file of Object.values(manifest.bin ?? {})) {
  const folder = dirname(require.resolve(name + "/package.json"));
  const { status, stderr } = spawnSync(process.execPath, [join(folder, file), "--help"], { encoding: "utf8" });
  if (status === 0) continue;
  const lines = stderr.trim().split("\\n");
  faults.push(file + " --help fails: " + (lines.find((line) => /^\\w*Error\\b/.test(line)) ?? lines[0]));
}
process.stdout.write(JSON.stringify(faults));
`;

/**
 * Installs a tarball with npm into an empty folder, together with the tarballs of its dependencies, and tries the
 * entry points and commands of the installed package.
 * @param packed - all packages of the release
 */
export function tryInstallation(
  one: PackedPackage,
  packed: readonly PackedPackage[],
  folder: string,
  registry: string,
): readonly Refusal[] {
  const { found, tarball } = one;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    '{ "name": "installed", "version": "1.0.0", "private": true, "type": "module" }',
  );
  const needed = neededBy(found, packed);
  const tarballs = [tarball, ...needed.map((other) => other.tarball)];
  // Under `npm run --silent`, npm would otherwise hide the reason of a failed installation.
  const quiet = ["--no-audit", "--no-fund", "--loglevel", "error"];
  const peers = optionalPeers(found, needed);
  const install = ["install", ...quiet, "--ignore-scripts", ...tarballs, ...peers];
  const installed = spawnSync("npm", [...install, ...registryParameters(registry)], {
    cwd: folder,
    encoding: "utf8",
  });
  if (installed.status === 0) return useInstalled(one, folder);
  const reason = `${found.name} cannot be installed:\n${installed.stderr.trim()}`;
  return [{ reason, remedy: remedyFor(found) }];
}

function remedyFor({ path }: WorkspacePackage): string {
  return `Correct it, then release again. To see it, pack ${path} and install it into an empty folder.`;
}

/** Loads all entry points and runs all commands of an installed package, and returns a refusal for each fault. */
export function useInstalled(
  { found, version }: PackedPackage,
  folder: string,
): readonly Refusal[] {
  const remedy = remedyFor(found);
  writeFileSync(join(folder, "probe.mjs"), probeScript);
  const probed = spawnSync(process.execPath, ["--no-warnings", "probe.mjs", found.name, version], {
    cwd: folder,
    encoding: "utf8",
  });
  if (probed.status !== 0)
    return [{ reason: `${found.name} cannot be used:\n${probed.stderr.trim()}`, remedy }];
  // The probe prints a list of texts.
  const faults = JSON.parse(probed.stdout) as readonly string[];
  return faults.map((fault) => ({ reason: `${found.name} ${version}: ${fault}.`, remedy }));
}

/** Returns the optional peers of a package that are not part of this release. */
function optionalPeers(
  { manifest }: WorkspacePackage,
  needed: readonly PackedPackage[],
): readonly string[] {
  return Object.entries(manifest.peerDependencies ?? {})
    .filter(([name]) => manifest.peerDependenciesMeta?.[name]?.optional === true)
    .filter(([name]) => !needed.some((other) => other.found.name === name))
    .map(([name, range]) => `${name}@${range}`);
}

/** Returns the packed packages that must be installed together with a package. */
function neededBy(
  found: WorkspacePackage,
  packed: readonly PackedPackage[],
): readonly PackedPackage[] {
  const needed = new Set<PackedPackage>();
  const add = (of: WorkspacePackage): void => {
    for (const name of dependenciesOf(of.manifest)) {
      const other = packed.find((candidate) => candidate.found.name === name);
      if (other === undefined || other.found === found || needed.has(other)) continue;
      needed.add(other);
      add(other.found);
    }
  };
  add(found);
  return [...needed];
}

/**
 * Writes the bill of materials of an installed package in the CycloneDX format, with all packages that npm installed
 * for it.
 * @param folder - the folder in which `tryInstallation` installed the package
 */
export function writeBillOfMaterials(
  { found, version }: PackedPackage,
  folder: string,
  file: string,
): void {
  const output = execFileSync(
    "npm",
    ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "library"],
    { cwd: folder, encoding: "utf8", maxBuffer: 100_000_000, stdio: ["ignore", "pipe", "ignore"] },
  );
  // npm documents the format of this output.
  const bill = JSON.parse(output) as {
    readonly metadata: { readonly component: { readonly "bom-ref": string } };
    readonly components: readonly { readonly purl: string }[];
    readonly dependencies: readonly { readonly ref: string }[];
  };
  const own = bill.components.find(({ purl }) =>
    purl.startsWith(`pkg:npm/${found.name.replace("@", "%40")}@`),
  );
  const document = {
    ...bill,
    // npm describes the folder of the installation instead of the package.
    metadata: { ...bill.metadata, component: { ...own, version } },
    components: bill.components.filter((component) => component !== own),
    dependencies: bill.dependencies.filter(({ ref }) => ref !== bill.metadata.component["bom-ref"]),
  };
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
}
