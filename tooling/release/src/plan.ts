import { getReleasePlan } from "@changesets/get-release-plan";
import type { NewChangeset } from "@changesets/types";
import semver from "semver";
import type { Refusal } from "./refusal.ts";
import type { PublishedPackage } from "./registry.ts";
import { peersOfProviders, type WorkspacePackage } from "./workspace.ts";

/** A package that the next release publishes. */
export interface PlannedRelease {
  readonly found: WorkspacePackage;
  /** The next version: the version in package.json, or the version that results from the waiting changesets. */
  readonly version: string;
  /** The package in the registry; null for the first release of a package. */
  readonly published: PublishedPackage | null;
}

/** The packages of the next release, and the changesets that are not yet applied. */
export interface ReleasePlan {
  readonly releases: readonly PlannedRelease[];
  readonly waiting: readonly NewChangeset[];
  /** The packages that would be released although no changeset names them. */
  readonly withoutChangeset: readonly string[];
  /** The versions that would result from changesets although the registry already has them. */
  readonly alreadyPublished: readonly string[];
}

/** Plans the release of every package whose next version is not in the registry. */
export async function planRelease(
  root: string,
  packages: readonly WorkspacePackage[],
  published: ReadonlyMap<string, PublishedPackage | null>,
): Promise<ReleasePlan> {
  const { changesets, releases } = await getReleasePlan(root);
  const next = new Map(releases.map(({ name, newVersion }) => [name, newVersion]));
  return {
    waiting: changesets,
    withoutChangeset: releases
      .filter(({ changesets, type }) => type !== "none" && changesets.length === 0)
      .map(({ name }) => name),
    alreadyPublished: releases
      .filter(({ name, newVersion }) => published.get(name)?.versions.includes(newVersion ?? ""))
      .filter(({ type }) => type !== "none")
      .map(({ name, newVersion }) => `${name} ${newVersion}`),
    releases: packages
      .map((found) => ({
        found,
        version: next.get(found.name) ?? found.manifest.version,
        published: published.get(found.name) ?? null,
      }))
      .filter(({ published, version }) => !published?.versions.includes(version)),
  };
}

/** Checks that each release has a changelog text and that each text belongs to one package. */
export function faultsOfChangesets({ withoutChangeset, waiting }: ReleasePlan): readonly Refusal[] {
  const shared = waiting.filter(({ releases }) => releases.length > 1);
  return [
    ...shared.map(({ id, releases }) => ({
      reason: `.changeset/${id}.md names ${releases.length} packages, and its text would be in the changelog of each.`,
      remedy: "Write one changeset for each package that describes the changes for its users.",
    })),
    ...withoutChangeset.map((name) => ({
      reason: `${name} would be released only because one of its dependencies is released.`,
      remedy: `Add a changeset for ${name} that describes the changes for its users.`,
    })),
  ];
}

/** Returns the part of the version that rises from the published version; null for the first release of a package. */
export function bumpOf({ published, version }: PlannedRelease): semver.ReleaseType | null {
  return published === null ? null : semver.diff(published.latest.version, version);
}

/** Checks that each version is higher than `latest` and not published. A published version above `latest` was withdrawn. */
export function faultsOfVersions({ releases, alreadyPublished }: ReleasePlan): readonly Refusal[] {
  const remedy = "Take the versions of the last release from the main branch, then release again.";
  return [
    ...alreadyPublished.map((version) => ({ reason: `${version} is published already.`, remedy })),
    ...releases.flatMap(({ found, published, version }) =>
      published !== null &&
      semver.prerelease(version) === null &&
      semver.lte(version, published.latest.version)
        ? [
            {
              reason: `${found.name} ${version} is older than ${published.latest.version}, which is published.`,
              remedy,
            },
          ]
        : [],
    ),
  ];
}

/**
 * Returns refusals for pre-releases: a release becomes `latest`, the default of `npm install`, and only versions
 * without a pre-release part can be compared.
 */
export function faultsOfPrereleases({ releases }: ReleasePlan): readonly Refusal[] {
  return releases
    .filter(({ version }) => semver.prerelease(version) !== null)
    .map(({ found, version }) => ({
      reason: `${found.name} ${version} is a pre-release, but every release becomes \`latest\`.`,
      remedy:
        "Give it a version such as 1.2.0. `.changeset/README.md` says how to publish a snapshot.",
    }));
}

/** Returns a refusal while changesets are not yet applied to the versions. */
export function faultsOfWaiting({ waiting }: ReleasePlan): readonly Refusal[] {
  if (waiting.length === 0) return [];
  const reason =
    waiting.length === 1
      ? "1 changeset has not been made into a version yet."
      : `${waiting.length} changesets have not been made into versions yet.`;
  return [
    {
      reason,
      remedy:
        "Run `npx pnpm changeset version` and `npm run openapi`, review and commit what they write, then release again.",
    },
  ];
}

/**
 * Checks major releases of core and adapter. A new major version is outside the ranges of the peer dependencies that
 * packages declare. Changesets alone would release only a patch of these packages, which breaks installations that
 * update patches automatically. The adapter is also checked as a package with core as a peer.
 */
export function faultsOfPeerMajors(
  { releases }: ReleasePlan,
  packages: readonly WorkspacePackage[],
  published: ReadonlyMap<string, PublishedPackage | null>,
): readonly Refusal[] {
  const isMajor = (name: string): boolean =>
    releases.some((release) => release.found.name === name && bumpOf(release) === "major");
  return releases
    .filter(({ found }) => isMajor(found.name))
    .flatMap(({ found: peer, version }) =>
      packages
        .filter(
          ({ manifest, name }) =>
            (peer.name in (manifest.peerDependencies ?? {}) ||
              (peersOfProviders.includes(name) && peer.name in (manifest.dependencies ?? {}))) &&
            published.get(name) &&
            !isMajor(name),
        )
        .map(({ name }) => ({
          reason: `${peer.name} ${version} is a new major version, but the new version of ${name} is not.`,
          remedy: `Add a changeset with \`"${name}": major\`, then run \`npx pnpm changeset version\`.`,
        })),
    );
}
