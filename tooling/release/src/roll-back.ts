import { spawnSync } from "node:child_process";
import semver from "semver";
import { type Refusal, ReleaseRefused, refuse } from "./refusal.ts";
import { findPublished, type PublishedPackage, registryParameters } from "./registry.ts";

/** Which version users get again, and why. */
export interface RollBack {
  readonly root: string;
  readonly registry: string;
  readonly name: string;
  readonly version: string;
  /** The message that npm prints when a later version is installed. */
  readonly reason: string;
  readonly report: (line: string) => void;
}

/**
 * Takes a release back. A published version cannot be replaced: the later versions are deprecated, and `latest` leads to
 * an earlier one again. The next release is compared with the version that `latest` names.
 * @throws ReleaseRefused when the version cannot be the one that is installed, or the registry refuses
 */
export async function rollBack(request: RollBack): Promise<void> {
  const { name, reason, registry, report, version } = request;
  const published = await findPublished(registry, name);
  refuse(faultsOfRollBack(published, name, version));
  // `latest` moves at the end, so that the command can be repeated after a failure.
  for (const other of versionsTakenBack(published, version)) {
    npm(request, ["deprecate", `${name}@${other}`, reason]);
    report(`${name}@${other} is deprecated: ${reason}`);
  }
  npm(request, ["dist-tag", "add", `${name}@${version}`, "latest"]);
  report(`\`npm install ${name}\` takes ${version} again.`);
}

/** Refuses everything but a released version below the one that `npm install` takes. */
export function faultsOfRollBack(
  published: PublishedPackage | null,
  name: string,
  version: string,
): readonly Refusal[] {
  const latest = published?.latest.version ?? "";
  const earlier = (published?.versions ?? []).filter(
    (other) => semver.prerelease(other) === null && semver.lt(other, latest),
  );
  if (earlier.includes(version)) return [];
  const reason = published?.versions.includes(version)
    ? `${name}@${version} is not a stable version below ${latest}, which is \`latest\`.`
    : `The registry has no ${name}@${version}.`;
  const last = semver
    .sort([...earlier])
    .slice(-5)
    .join(", ");
  return [
    {
      reason,
      remedy: last === "" ? "There is no version to go back to." : `Name an earlier one: ${last}.`,
    },
  ];
}

/** The versions above the one that users get again, up to `latest`; those above `latest` were taken back before. */
export function versionsTakenBack(
  published: PublishedPackage | null,
  version: string,
): readonly string[] {
  const taken = `>${version} <=${published?.latest.version ?? version}`;
  return (published?.versions ?? []).filter(
    (other) => semver.prerelease(other) === null && semver.satisfies(other, taken),
  );
}

function npm({ registry, root }: RollBack, parameters: readonly string[]): void {
  const { status, stderr } = spawnSync(
    "npm",
    [...parameters, "--loglevel", "error", ...registryParameters(registry)],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  if (status !== 0)
    throw new ReleaseRefused([
      {
        reason: `npm ${parameters[0]} fails:\n${stderr.trim()}`,
        remedy: "Correct it and repeat the command: what is done already stays.",
      },
    ]);
}
