import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { faultsOfNames, readApi } from "./api-report.ts";
import { faultsOfBuild } from "./build-state.ts";
import { comparePackages, downloadPublished, faultsOfBump } from "./compare-packages.ts";
import { faultsOfTree, headOf } from "./git.ts";
import { readManifest } from "./manifest.ts";
import {
  faultsOfChangesets,
  faultsOfPeerMajors,
  faultsOfPrereleases,
  faultsOfVersions,
  faultsOfWaiting,
  type PlannedRelease,
  planRelease,
} from "./plan.ts";
import { type Refusal, ReleaseRefused, refuse } from "./refusal.ts";
import { findPublished, type PublishedPackage } from "./registry.ts";
import { type PackedPackage, tryInstallation, writeBillOfMaterials } from "./try-out.ts";
import { publishedPackages } from "./workspace.ts";

/** The options of one run of the release. */
export interface ReleaseRequest {
  /** The root of the repository. */
  readonly root: string;
  /** The address of the registry. */
  readonly registry: string;
  /** True if changesets may be waiting. Packages of a dry run cannot be published. */
  readonly isDryRun: boolean;
  /** Prints a line of progress. */
  readonly report: (line: string) => void;
}

/** The folder for the tarballs and the bills of materials. */
const OUTPUT = "release";

/**
 * Packs every package whose version is not in the registry: it is built from clean, packed once, compared with the
 * published version, installed and tried. `release/publish.txt` lists the tarballs in the order of publication.
 * @throws ReleaseRefused with all problems that one step finds
 */
export async function release(request: ReleaseRequest): Promise<void> {
  const { isDryRun, registry, report, root } = request;
  const head = headOf(root);
  refuse([...faultsOfTree(root, head), ...faultsOfManifest(root, registry)]);
  const packages = publishedPackages(root);
  const published = await findAll(
    registry,
    packages.map(({ name }) => name),
  );
  const plan = await planRelease(root, packages, published);
  refuse([
    ...faultsOfChangesets(plan),
    ...faultsOfVersions(plan),
    ...faultsOfPrereleases(plan),
    ...faultsOfPeerMajors(plan, packages, published),
    ...(isDryRun ? [] : faultsOfWaiting(plan)),
  ]);
  const output = join(root, OUTPUT);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output);
  const work = mkdtempSync(join(tmpdir(), "insurance-gateway-release-"));
  const compared = ({ found }: PlannedRelease): string => join(work, "compared", found.path);
  report(
    plan.releases.length === 0
      ? "Nothing to release: the registry has every version."
      : `To release: ${plan.releases.map(nameOf).join(", ")}`,
  );
  try {
    for (const planned of plan.releases) await downloadPublished(planned, compared(planned));
    report("Building from clean");
    build(
      root,
      plan.releases.map(({ found }) => found.folder),
    );
    report("Packing");
    const packed = plan.releases.map((planned) => pack(planned, output));
    report("Comparing with what is published");
    refuse(
      plan.releases.flatMap((planned, index) => {
        const tarball = packed[index]?.tarball ?? "";
        const { found } = planned;
        return [
          ...faultsOfNames(found.name, readApi(found.folder)),
          ...faultsOfBump(planned, comparePackages(planned, tarball, compared(planned))),
        ];
      }),
    );
    report("Installing and using what was packed");
    tryOutAll(packed, work, output, registry);
    refuse(faultsOfTree(root, head));
    if (!isDryRun) writeFileSync(join(output, "publish.txt"), packed.map(lineOf).join(""));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns a line for `publish.sh`. */
function lineOf({ found, tarball, version }: PackedPackage): string {
  return `${found.name} ${version} ${basename(tarball)}\n`;
}

function nameOf({ found, version }: PlannedRelease): string {
  return `${found.name}@${version}`;
}

/**
 * Checks the fields of package.json that a public registry needs to show where a package comes from. The registry
 * verifies the provenance against the field `repository`.
 */
function faultsOfManifest(root: string, registry: string): readonly Refusal[] {
  if (isLocal(registry)) return [];
  const { bugs, homepage, repository } = readManifest(root);
  const missing = Object.entries({ repository, homepage, bugs })
    .filter(([, value]) => value === undefined)
    .map(([name]) => `\`${name}\``);
  if (missing.length === 0) return [];
  return [
    {
      reason: `The package.json at the root has no ${missing.join(", no ")}.`,
      remedy:
        "Add them there: every published manifest takes them from the root, and provenance is checked against `repository`.",
    },
  ];
}

/** Reports whether a registry is on this machine, as in tests. It needs neither provenance nor a repository field. */
function isLocal(registry: string): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(registry).hostname);
}

async function findAll(
  registry: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, PublishedPackage | null>> {
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await findPublished(registry, name)] as const),
    ),
  );
}

/**
 * Builds the released packages and their dependencies from clean, so that a tarball contains no old files and no cached
 * results.
 */
function build(root: string, folders: readonly string[]): void {
  if (folders.length === 0) return;
  for (const folder of folders) rmSync(join(folder, "dist"), { recursive: true, force: true });
  const filters = folders.map((folder) => `--filter=./${folder.slice(root.length + 1)}`);
  const built = spawnSync(
    "turbo",
    ["run", "build", "--force", "--output-logs=errors-only", ...filters],
    { cwd: root, encoding: "utf8", env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" } },
  );
  if (built.status !== 0)
    throw new ReleaseRefused([
      {
        reason: `The build fails:\n${`${built.stdout}${built.stderr}`.slice(-4000)}`,
        remedy: "Correct it; `npm run build` repeats it.",
      },
    ]);
}

/** Packs a package with pnpm, whose `prepack` script refuses an outdated build. */
function pack({ found, version }: PlannedRelease, output: string): PackedPackage {
  refuse(faultsOfBuild(found.folder, found.manifest));
  const before = new Set(readdirSync(output));
  execFileSync("pnpm", ["pack", "--pack-destination", output], {
    cwd: found.folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [file = ""] = readdirSync(output).filter((name) => !before.has(name));
  return { found, version, tarball: join(output, file) };
}

function tryOutAll(
  packed: readonly PackedPackage[],
  work: string,
  output: string,
  registry: string,
): void {
  const refusals: Refusal[] = [];
  for (const [index, one] of packed.entries()) {
    const folder = join(work, `installed-${index}`);
    // In a dry run with waiting changesets, the tarball still has the version of package.json.
    const current = { ...one, version: one.found.manifest.version };
    const faults = tryInstallation(current, packed, folder, registry);
    refusals.push(...faults);
    const bill = `${basename(one.tarball, ".tgz")}.cdx.json`;
    if (faults.length === 0) writeBillOfMaterials(current, folder, join(output, bill));
  }
  refuse(refusals);
}
