import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import semver from "semver";
import { faultsOfBuild } from "./build-state.ts";
import { changedSources, faultsOfTags, tagOf } from "./changed-sources.ts";
import { comparePackages, downloadPublished, faultsOfBump } from "./compare-packages.ts";
import { faultsOfTree, hasTag, headOf, tagCommit } from "./git.ts";
import { readManifest } from "./manifest.ts";
import {
  faultsOfChangesets,
  faultsOfChangesWithoutChangeset,
  faultsOfPeerMajors,
  faultsOfPrereleases,
  faultsOfSnapshot,
  faultsOfTrustedPublishing,
  faultsOfVersions,
  faultsOfWaiting,
  type PlannedRelease,
  planRelease,
  type ReleasePlan,
} from "./plan.ts";
import { type Refusal, ReleaseRefused, refuse } from "./refusal.ts";
import { findPublished, type PublishedPackage, registryParameters } from "./registry.ts";
import { type Packed, tryOut, writeBillOfMaterials } from "./try-out.ts";
import { publishedPackages, type WorkspacePackage } from "./workspace.ts";

/** What a release is asked for. */
export interface ReleaseRequest {
  /** The root of the repository. */
  readonly root: string;
  /** The address of the registry. */
  readonly registry: string;
  /** Everything but the publishing. */
  readonly isDryRun: boolean;
  /** The dist-tag that installs the versions: `latest`, or the name of a snapshot. */
  readonly tag: string;
  /** Whether npm can publish with the identity of this run in place of a login, as in a workflow of GitHub. */
  readonly hasIdentity: boolean;
  /** Prints a line about what is done. */
  readonly report: (line: string) => void;
}

/** The folder for the tarballs and the bills of materials. */
const OUTPUT = "release";

/**
 * Publishes every package whose version the registry does not have: built from clean, packed once, compared with what
 * is published, installed and used. Nothing is published unless everything that is released passes.
 * @returns the names and versions that are published, or would be
 * @throws ReleaseRefused with everything that one step finds wrong
 */
export async function release(request: ReleaseRequest): Promise<readonly string[]> {
  const { report, root } = request;
  const head = headOf(root);
  let isTagged = false;
  const addTag = (tag: string): void => {
    if (hasTag(root, tag)) return;
    tagCommit(root, tag, head);
    isTagged = true;
  };
  try {
    return await releaseCommit(head, request, addTag);
  } finally {
    // Also of a release that fails midway: the next one finds its versions published.
    if (isTagged) report("Push the tags of the versions: `git push --tags`");
  }
}

async function releaseCommit(
  head: string,
  request: ReleaseRequest,
  addTag: (tag: string) => void,
): Promise<readonly string[]> {
  const { isDryRun, registry, report, root, tag } = request;
  refuse([...faultsOfTree(root, head), ...faultsOfManifest(root, registry)]);
  const packages = publishedPackages(root);
  const published = await findAll(
    registry,
    packages.map(({ name }) => name),
  );
  const plan = forTag(await planRelease(root, packages, published), tag);
  refuse([
    ...faultsOfChangesets(plan),
    ...faultsOfVersions(plan),
    ...(tag === "latest"
      ? [
          ...faultsOfPrereleases(plan),
          ...faultsOfPeerMajors(plan, packages, published),
          ...faultsOfChangesWithoutChangeset(plan, packages, (found) =>
            changedSources(root, found),
          ),
          ...faultsOfTags(
            root,
            packages.filter((found) => isPublished(found, published)),
          ),
        ]
      : faultsOfSnapshot(plan)),
    ...(isDryRun ? [] : faultsOfWaiting(plan)),
    ...(!isDryRun && isTrusted(request) ? faultsOfTrustedPublishing(plan) : []),
  ]);
  if (tag === "latest" && !isDryRun) tagPublished(packages, published, request, addTag);
  if (plan.releases.length === 0) {
    report("Nothing to release: the registry has every version.");
    return [];
  }
  report(`To release: ${plan.releases.map(nameOf).join(", ")}`);
  const output = join(root, OUTPUT);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output);
  const work = mkdtempSync(join(tmpdir(), "insurance-gateway-release-"));
  const compared = ({ found }: PlannedRelease): string => join(work, "compared", found.path);
  try {
    for (const planned of plan.releases) await downloadPublished(planned, compared(planned));
    report("Building from clean");
    build(
      root,
      plan.releases.map(({ found }) => found.folder),
    );
    report("Packing");
    const packed = plan.releases.map((planned) => pack(planned, output));
    if (tag === "latest") {
      report("Comparing with what is published");
      refuse(
        plan.releases.flatMap((planned, index) => {
          const tarball = packed[index]?.tarball ?? "";
          return faultsOfBump(planned, comparePackages(planned, tarball, compared(planned)));
        }),
      );
    }
    report("Installing and using what was packed");
    tryOutAll(packed, work, output, registry);
    refuse(faultsOfTree(root, head));
    if (!isDryRun) publishAll(packed, request, addTag);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return plan.releases.map(nameOf);
}

/** A snapshot publishes nothing under a version that a release would use. */
function forTag(plan: ReleasePlan, tag: string): ReleasePlan {
  if (tag === "latest") return plan;
  const releases = plan.releases.filter(({ version }) => semver.prerelease(version) !== null);
  return { ...plan, releases };
}

function nameOf({ found, version }: PlannedRelease): string {
  return `${found.name}@${version}`;
}

/** Whether the registry has the version that the work tree has of a package. */
function isPublished(
  { manifest, name }: WorkspacePackage,
  published: ReadonlyMap<string, PublishedPackage | null>,
): boolean {
  return published.get(name)?.versions.includes(manifest.version) === true;
}

/** A public registry shows where a package comes from; provenance is checked against it. */
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

/** Whether npm publishes as a trusted publisher, with provenance and without a login. */
function isTrusted({ hasIdentity, registry }: ReleaseRequest): boolean {
  return hasIdentity && !isLocal(registry);
}

/** Whether a registry is on this machine, as in tests: it needs neither provenance nor a repository. */
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

/** Builds what is released, and what it depends on, from clean: no file of an earlier build and no cached result gets into a tarball. */
function build(root: string, folders: readonly string[]): void {
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

/** Packs with pnpm, whose `prepack` refuses what is not built. */
function pack({ found, version }: PlannedRelease, output: string): Packed {
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
  packed: readonly Packed[],
  work: string,
  output: string,
  registry: string,
): void {
  const refusals: Refusal[] = [];
  for (const [index, one] of packed.entries()) {
    const folder = join(work, `installed-${index}`);
    // With changesets that wait, the tarball still has the version of its manifest.
    const current = { ...one, version: one.found.manifest.version };
    const faults = tryOut(current, packed, folder, registry);
    refusals.push(...faults);
    const bill = `${basename(one.tarball, ".tgz")}.cdx.json`;
    if (faults.length === 0) writeBillOfMaterials(current, folder, join(output, bill));
  }
  refuse(refusals);
}

function publishAll(
  packed: readonly Packed[],
  request: ReleaseRequest,
  addTag: (tag: string) => void,
): void {
  const { registry, report, root, tag } = request;
  for (const { found, tarball, version } of packed) {
    const options = ["--access", "public", "--tag", tag, ...registryParameters(registry)];
    const provenance = isTrusted(request) ? ["--provenance"] : [];
    const published = spawnSync(
      "npm",
      ["publish", tarball, ...options, ...provenance, "--loglevel", "error"],
      {
        cwd: root,
        encoding: "utf8",
      },
    );
    if (published.status !== 0)
      throw new ReleaseRefused([
        {
          reason: `${found.name}@${version} cannot be published:\n${published.stderr.trim()}`,
          remedy: "Correct it and release again: what is published already is left out.",
        },
      ]);
    report(`Published ${found.name}@${version}`);
    if (tag === "latest") addTag(`${found.name}@${version}`);
  }
}

/** Tags the versions of the work tree that an earlier try published without a tag. */
function tagPublished(
  packages: readonly WorkspacePackage[],
  published: ReadonlyMap<string, PublishedPackage | null>,
  { report, root }: ReleaseRequest,
  addTag: (tag: string) => void,
): void {
  for (const found of packages) {
    const tag = tagOf(found);
    if (!isPublished(found, published) || hasTag(root, tag)) continue;
    addTag(tag);
    report(`Tagged ${tag}, which is published already`);
  }
}
