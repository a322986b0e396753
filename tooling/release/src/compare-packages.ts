import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Contract, compareContracts, levels } from "@insurance-gateway/contract-diff";
import { readApi } from "./api-report.ts";
import { compareConfigurations, compareManifests } from "./compare-manifests.ts";
import { compareNames, compareTypes } from "./compare-types.ts";
import type { PackageChange } from "./package-change.ts";
import { bumpOf, type PlannedRelease } from "./plan.ts";
import type { Refusal } from "./refusal.ts";
import { unpack, unpackPublished } from "./registry.ts";
import { isProvider, peersOfProviders } from "./workspace.ts";

/** The possible paths of a contract in a tarball: a provider's contract, or the gateway's own. */
const CONTRACTS = ["dist/reference/openapi.json", "openapi.json"];

/** The folder for the unpacked published version. */
const PUBLISHED = "published";

/** Downloads the published version of a package, with which the release is compared; returns null for a new package. */
export async function downloadPublished(
  { published }: PlannedRelease,
  work: string,
): Promise<void> {
  mkdirSync(work, { recursive: true });
  if (published !== null) await unpackPublished(published.latest, join(work, PUBLISHED));
}

/**
 * Compares a packed tarball with the last published tarball. For providers: the contract and the exported names,
 * because the types follow from the contract. For other packages: the types, and for the reference the contract of the
 * gateway itself. For all packages: package.json and the accepted configuration.
 * @param work - the folder with the published tarball
 * @returns an empty list for the first release of a package
 */
export function comparePackages(
  { found, published }: PlannedRelease,
  tarball: string,
  work: string,
): readonly PackageChange[] {
  if (published === null) return [];
  // Both versions need the types of their dependencies.
  symlinkSync(join(found.folder, "node_modules"), join(work, "node_modules"));
  const before = join(work, PUBLISHED, "package");
  const after = unpack(tarball, join(work, "packed"));
  const declared = [
    ...compareManifests(before, after),
    ...compareConfigurations(before, after),
    ...contractChanges(readContract(before), readContract(after)),
  ];
  if (isProvider(found.name))
    return [...declared, ...compareNames(readApi(before), readApi(after))];
  return [...declared, ...compareTypes(before, after, work)];
}

function readContract(folder: string): Contract {
  const [file] = CONTRACTS.map((path) => join(folder, path)).filter((path) => existsSync(path));
  // The build generates this file. Most packages, and providers without endpoints, have none.
  return file === undefined ? { paths: {} } : (JSON.parse(readFileSync(file, "utf8")) as Contract);
}

function contractChanges(before: Contract, after: Contract): readonly PackageChange[] {
  return compareContracts(before, after).map(({ endpoint, level, pointer, text }) => ({
    level,
    place: `${endpoint ?? "the provider"} ${pointer}`.trimEnd(),
    text,
  }));
}

const order = Object.keys(levels);

/** Returns a refusal if the version of a release rises less than the changes require. */
export function faultsOfBump(
  release: PlannedRelease,
  changes: readonly PackageChange[],
): readonly Refusal[] {
  const bump = bumpOf(release);
  if (bump === null) return [];
  const needed = order.find((level) => changes.some((change) => change.level === level));
  if (needed === undefined || order.indexOf(bump) <= order.indexOf(needed)) return [];
  const { found, published, version } = release;
  const worst = changes.filter(({ level }) => level === needed);
  const listed = worst.slice(0, 10).map(({ place, text }) => `\n    ${place}: ${text}`);
  const rest = worst.length > 10 ? `\n    and ${worst.length - 10} more` : "";
  return [
    {
      reason:
        `${found.name} ${version} is a ${bump} after ${published?.latest.version}, but needs a ${needed}:` +
        `${listed.join("")}${rest}`,
      remedy:
        peersOfProviders.includes(found.name) && needed === "major"
          ? "Make its changeset a major, with a major of every package that has it as its peer, or keep what users have."
          : `Make its changeset a ${needed}, or keep what users have.`,
    },
  ];
}
