import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compareContracts } from "@insurance-gateway/contract-diff";
import semver from "semver";
import { type Manifest, readManifest } from "./manifest.ts";
import type { PackageChange } from "./package-change.ts";

/**
 * Compares the package.json files of two unpacked tarballs: the required versions of Node.js and of peers, the entry
 * points and the commands.
 */
export function compareManifests(before: string, after: string): readonly PackageChange[] {
  const [old, current] = [readManifest(before), readManifest(after)];
  return [
    ...engineChanges(old, current),
    ...peerChanges(old, current),
    ...nameChanges("exports", old.exports, current.exports),
    ...nameChanges("bin", old.bin, current.bin),
  ];
}

/**
 * Reports a major change if some Node.js versions are no longer supported, because applications on them stop working.
 */
function engineChanges(old: Manifest, current: Manifest): readonly PackageChange[] {
  const [was, is] = [old.engines?.node ?? "*", current.engines?.node ?? "*"];
  if (was === is || semver.subset(was, is)) return [];
  return [
    { level: "major", place: "engines.node", text: `The range was ${was} and is now ${is}.` },
  ];
}

/**
 * Reports changed peer dependencies. A new peer, or a range with fewer versions, breaks existing installations. A newer
 * minor version of this project's own peers breaks nothing, because users update both packages together.
 */
function peerChanges(old: Manifest, current: Manifest): readonly PackageChange[] {
  return Object.entries(current.peerDependencies ?? {}).flatMap(([name, is]): PackageChange[] => {
    const place = `peerDependencies.${name}`;
    const was = old.peerDependencies?.[name];
    const isOptional = isOptionalPeer(current, name);
    if (was === undefined)
      return [{ level: isOptional ? "minor" : "major", place, text: "This entry is new." }];
    if (isOptionalPeer(old, name) && !isOptional)
      return [{ level: "major", place, text: "The peer was optional and is now required." }];
    if (was === is || semver.subset(was, is)) return [];
    const isNewer =
      name.startsWith("@insurance-gateway/") &&
      semver.subset(is, was) &&
      semver.minVersion(is)?.major === semver.minVersion(was)?.major;
    return [
      { level: isNewer ? "minor" : "major", place, text: `The range was ${was} and is now ${is}.` },
    ];
  });
}

function isOptionalPeer({ peerDependenciesMeta }: Manifest, name: string): boolean {
  return peerDependenciesMeta?.[name]?.optional === true;
}

/** Reports added and removed names, and conditions that were removed from a name in `exports`. */
function nameChanges(
  place: string,
  old: Readonly<Record<string, unknown>> = {},
  current: Readonly<Record<string, unknown>> = {},
): readonly PackageChange[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(current)])];
  return names.flatMap((name): PackageChange[] => {
    const [was, is] = [conditionsOf(old[name]), conditionsOf(current[name])];
    const at = `${place} ${name}`;
    if (was.length === 0)
      return is.length === 0 ? [] : [{ level: "minor", place: at, text: "This entry is new." }];
    if (is.length === 0) return [{ level: "major", place: at, text: "This entry was removed." }];
    return was
      .filter((condition) => !is.includes(condition))
      .map((condition) => ({
        level: "major",
        place: at,
        text: `The condition ${condition} was removed.`,
      }));
  });
}

/** Returns the conditions of a target: `default` for a plain path, an empty list for `null`. */
function conditionsOf(target: unknown): readonly string[] {
  if (typeof target === "string") return ["default"];
  if (typeof target !== "object" || target === null) return [];
  return Object.entries(target).flatMap(([condition, inner]) =>
    conditionsOf(inner).map((rest) => (rest === "default" ? condition : `${condition}.${rest}`)),
  );
}

/** The path of the JSON Schema for a package's configuration file, if it has one. */
const CONFIGURATION = "dist/configuration.schema.json";

/**
 * Compares the configuration schemas of two unpacked tarballs: the newer package must accept every configuration that
 * the older package accepts.
 */
export function compareConfigurations(before: string, after: string): readonly PackageChange[] {
  if (!existsSync(join(before, CONFIGURATION))) return [];
  if (!existsSync(join(after, CONFIGURATION)))
    return [{ level: "major", place: "configuration", text: "The schema was removed." }];
  return compareContracts(contractOf(before), contractOf(after)).map(
    ({ level, pointer, text }) => ({
      level,
      place: `configuration ${pointer.replace(BODY, "")}`.trimEnd(),
      text,
    }),
  );
}

/** The JSON Pointer of the configuration's schema in the operation that `contractOf` returns. */
const BODY = "/requestBody/content/application~1json/schema";

/** Returns a contract whose request body is the configuration: an operator sends it, and a gateway accepts it. */
function contractOf(folder: string): Parameters<typeof compareContracts>[0] {
  // The gateway's build writes this JSON Schema with zod.
  const schema = JSON.parse(readFileSync(join(folder, CONFIGURATION), "utf8")) as object;
  const content = { "application/json": { schema } };
  const operation = { operationId: "configuration", requestBody: { required: true, content } };
  return { paths: { "/gateway/configuration": { post: { ...operation, responses: {} } } } };
}
