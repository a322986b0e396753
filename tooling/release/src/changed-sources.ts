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

function changesSince(
  root: string,
  { name, path }: WorkspacePackage,
  commit: string,
): readonly string[] {
  const manifest = `${path}/package.json`;
  const sources = [`${path}/src`, `${path}/bin`, ...(furtherSources[name] ?? []), manifest];
  const [before, after] = [commit, "HEAD"].map((at) => publishedPart(fileAt(root, at, manifest)));
  return changedSince(root, commit, sources).filter(
    (file) => file !== manifest || before !== after,
  );
}

/** What a tarball has of a manifest. */
function publishedPart(text: string): string {
  // A package.json of this workspace.
  const {
    devDependencies: _,
    scripts: __,
    ...published
  } = JSON.parse(text) as Manifest & {
    readonly devDependencies?: unknown;
    readonly scripts?: unknown;
  };
  return JSON.stringify({ ...published, version: "" });
}
