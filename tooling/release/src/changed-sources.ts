import { parse } from "yaml";
import { changedSince, fileAt, hasTag, isShallow, lastCommitThatAdds } from "./git.ts";
import type { Manifest } from "./manifest.ts";
import type { Refusal } from "./refusal.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** What packages publish beside what is built from their own `src` and `bin`. */
const furtherSources: Readonly<Record<string, readonly string[]>> = {
  "@insurance-gateway/reference": ["packages/reference/browser"],
  "@insurance-gateway/import-provider": [
    "docs/importing.md",
    "tooling/contract-diff/src",
    "tooling/create-provider/src",
    "tooling/create-provider/template",
    "tooling/lists/src",
  ],
};

/** The development dependencies whose code is in a package's tarball. */
const bundled: Readonly<Record<string, readonly string[]>> = {
  "@insurance-gateway/reference": ["@scalar/api-reference", "minisearch"],
};

/** The file with the catalogs of versions, which pnpm puts into the manifests that it packs. */
const WORKSPACE = "pnpm-workspace.yaml";

/** The tag of the version that the work tree has of a package. */
export function tagOf({ manifest, name }: WorkspacePackage): string {
  return `${name}@${manifest.version}`;
}

/**
 * The sources of a package that changed since its version was tagged, or since a changeset with the bump `none` said
 * that users notice nothing.
 * @returns nothing without the tag, which `faultsOfTags` refuses
 */
export function changedSources(root: string, found: WorkspacePackage): readonly string[] {
  const tag = tagOf(found);
  if (!hasTag(root, tag)) return [];
  const line = `^['"]${found.name}['"]: none`;
  const explained = lastCommitThatAdds(root, line, ".changeset", `refs/tags/${tag}`);
  return changesSince(root, found, explained ?? `refs/tags/${tag}`);
}

/**
 * Refuses a published version without a tag where it cannot be the commit that is checked out: nobody could say what
 * changed since.
 * @param packages - the ones whose version is published
 */
export function faultsOfTags(
  root: string,
  packages: readonly WorkspacePackage[],
): readonly Refusal[] {
  return packages
    .filter((found) => !hasTag(root, tagOf(found)))
    .filter((found) => isShallow(root) || changesSinceVersion(root, found).length > 0)
    .map((found) => ({
      reason: `${tagOf(found)} is published, and the repository has no tag that says from which commit.`,
      remedy: `Fetch the tags with \`git fetch --tags --unshallow\`, or add it: \`git tag ${tagOf(found)} COMMIT\`.`,
    }));
}

function changesSinceVersion(root: string, found: WorkspacePackage): readonly string[] {
  const line = `^ *"version": "${found.manifest.version.replaceAll(".", "\\.")}"`;
  const commit = lastCommitThatAdds(root, line, `${found.path}/package.json`);
  return commit === null ? [found.path] : changesSince(root, found, commit);
}

function changesSince(root: string, found: WorkspacePackage, commit: string): readonly string[] {
  const { name, path } = found;
  const manifest = `${path}/package.json`;
  const sources = [`${path}/src`, `${path}/bin`, ...(furtherSources[name] ?? []), manifest];
  const [before = "", after = ""] = [commit, "HEAD"].map((at) => fileAt(root, at, manifest));
  const files = changedSince(root, commit, sources).filter(
    (file) => file !== manifest || publishedPart(before) !== publishedPart(after),
  );
  if (changedSince(root, commit, [WORKSPACE, manifest]).length === 0) return files;
  const was = resolvedRanges(name, before, fileAt(root, commit, WORKSPACE));
  const is = resolvedRanges(name, after, fileAt(root, "HEAD", WORKSPACE));
  const ranges = [...new Set([...was.keys(), ...is.keys()])].flatMap((dependency) => {
    const [old, current] = [was.get(dependency), is.get(dependency)];
    const isDeclaredAlike = old?.declared === current?.declared;
    if (old?.range === current?.range) return [];
    // `publishedPart` shows what the manifest itself declares of other dependencies.
    if (!isDeclaredAlike && bundled[name]?.includes(dependency) !== true) return [];
    const change = `${dependency} ${old?.range ?? "none"} → ${current?.range ?? "none"}`;
    return [{ change, file: isDeclaredAlike ? WORKSPACE : manifest }];
  });
  const changesOf = (file: string): readonly string[] => {
    const changes = ranges.filter((one) => one.file === file).map(({ change }) => change);
    return changes.length === 0 ? [] : [`${file} (${changes.join(", ")})`];
  };
  return [...files, ...changesOf(WORKSPACE), ...changesOf(manifest)];
}

/** What a tarball has of a manifest. */
function publishedPart(text: string): string {
  const { devDependencies: _, scripts: __, ...published } = parseManifest(text);
  return JSON.stringify({ ...published, version: "" });
}

/** A range of a manifest. */
interface ResolvedRange {
  /** As the manifest has it: `catalog:`, or the range. */
  readonly declared: string;
  readonly range: string;
}

/**
 * The ranges that shape a tarball and that `publishedPart` does not show, by dependency: those of the catalogs, and those of
 * the bundled code.
 */
function resolvedRanges(
  name: string,
  manifest: string,
  workspace: string,
): ReadonlyMap<string, ResolvedRange> {
  const { dependencies, devDependencies = {}, peerDependencies } = parseManifest(manifest);
  // What pnpm documents for its file.
  const { catalog = {}, catalogs = {} } = parse(workspace) as {
    readonly catalog?: Ranges;
    readonly catalogs?: Readonly<Record<string, Ranges>>;
  };
  const published = Object.entries({ ...dependencies, ...peerDependencies });
  const own = Object.entries(devDependencies).filter(([one]) => bundled[name]?.includes(one));
  return new Map(
    [...published, ...own].map(([dependency, declared]) => {
      const [, chosen] = /^catalog:(.*)$/.exec(declared) ?? [];
      if (chosen === undefined) return [dependency, { declared, range: declared }];
      const ranges = ["", "default"].includes(chosen) ? catalog : catalogs[chosen];
      return [dependency, { declared, range: ranges?.[dependency] ?? "" }];
    }),
  );
}

type Ranges = Readonly<Record<string, string>>;

function parseManifest(
  text: string,
): Manifest & { readonly devDependencies?: Ranges; readonly scripts?: unknown } {
  // A package.json of this workspace.
  return JSON.parse(text);
}
