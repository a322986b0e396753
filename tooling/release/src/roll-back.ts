import { spawnSync } from "node:child_process";
import semver from "semver";
import { ReleaseRefused, refuse } from "./refusal.ts";
import { findPublished } from "./registry.ts";

/** Which version users get again, and why. */
export interface RollBack {
  readonly root: string;
  readonly registry: string;
  readonly name: string;
  readonly version: string;
  /** What whoever installs a later version reads. */
  readonly reason: string;
  readonly report: (line: string) => void;
}

/**
 * Takes a release back. A published version cannot be replaced: `latest` leads to an earlier one again, and the later
 * ones are deprecated. The next release is compared with the version that `latest` names.
 * @throws ReleaseRefused when the registry does not have the version, or refuses
 */
export async function rollBack(request: RollBack): Promise<void> {
  const { name, reason, registry, report, version } = request;
  const published = await findPublished(registry, name);
  const versions = published?.versions ?? [];
  const later = versions.filter((other) => semver.valid(version) && semver.gt(other, version));
  refuse(
    versions.includes(version)
      ? []
      : [
          {
            reason: `The registry has no ${name}@${version}.`,
            remedy: `Name one that it has: ${versions.slice(-5).join(", ") || "it has none"}.`,
          },
        ],
  );
  npm(request, ["dist-tag", "add", `${name}@${version}`, "latest"]);
  report(`\`npm install ${name}\` takes ${version} again.`);
  for (const other of later.filter((one) => semver.prerelease(one) === null)) {
    npm(request, ["deprecate", `${name}@${other}`, reason]);
    report(`${name}@${other} is deprecated: ${reason}`);
  }
}

function npm({ registry, root }: RollBack, parameters: readonly string[]): void {
  const { status, stderr } = spawnSync(
    "npm",
    [...parameters, "--loglevel", "error", "--registry", registry],
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
