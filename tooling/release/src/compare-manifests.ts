import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compareContracts } from "@insurance-gateway/contract-diff";
import semver from "semver";
import type { PackageChange } from "./compare-packages.ts";
import { type Manifest, readManifest } from "./manifest.ts";

/**
 * Compares what two unpacked tarballs say in their manifests: the versions of Node.js and of peers that they run with,
 * their entry points and their commands.
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

/** Applications on a Node.js version that is no longer supported stop working. */
function engineChanges(old: Manifest, current: Manifest): readonly PackageChange[] {
  const [was, is] = [old.engines?.node ?? "*", current.engines?.node ?? "*"];
  if (was === is || semver.subset(was, is)) return [];
  return [{ level: "major", place: "engines.node", text: `It was ${was} and is ${is}.` }];
}

/**
 * A peer that is needed now, and a range without versions that were in it, break what is installed. A peer of ours that
 * has to be newer within its major is updated together with the package.
 */
function peerChanges(old: Manifest, current: Manifest): readonly PackageChange[] {
  return Object.entries(current.peerDependencies ?? {}).flatMap(([name, is]): PackageChange[] => {
    const place = `peerDependencies.${name}`;
    const was = old.peerDependencies?.[name];
    if (was === undefined) {
      const isOptional = current.peerDependenciesMeta?.[name]?.optional === true;
      return [{ level: isOptional ? "minor" : "major", place, text: "It is new." }];
    }
    if (was === is || semver.subset(was, is)) return [];
    const isNewer = name.startsWith("@insurance-gateway/") && semver.subset(is, was);
    return [{ level: isNewer ? "minor" : "major", place, text: `It was ${was} and is ${is}.` }];
  });
}

function nameChanges(
  place: string,
  old: Readonly<Record<string, unknown>> = {},
  current: Readonly<Record<string, unknown>> = {},
): readonly PackageChange[] {
  const removed = Object.keys(old).filter((name) => !Object.hasOwn(current, name));
  const added = Object.keys(current).filter((name) => !Object.hasOwn(old, name));
  return [
    ...removed.map(
      (name) => ({ level: "major", place: `${place} ${name}`, text: "It is gone." }) as const,
    ),
    ...added.map(
      (name) => ({ level: "minor", place: `${place} ${name}`, text: "It is new." }) as const,
    ),
  ];
}

/** The schema of its configuration file, where a package has one. */
const CONFIGURATION = "dist/configuration.schema.json";

/** Compares the configurations that two unpacked tarballs accept: what was accepted has to stay accepted. */
export function compareConfigurations(before: string, after: string): readonly PackageChange[] {
  if (![before, after].every((folder) => existsSync(join(folder, CONFIGURATION)))) return [];
  return compareContracts(contractOf(before), contractOf(after)).map(
    ({ level, pointer, text }) => ({
      level,
      place: `configuration ${pointer.replace(BODY, "")}`.trimEnd(),
      text,
    }),
  );
}

/** Where the schema is in the operation of `contractOf`. */
const BODY = "/requestBody/content/application~1json/schema";

/** The configuration as the body of a request, whose direction is the same: an operator sends, a gateway accepts. */
function contractOf(folder: string): Parameters<typeof compareContracts>[0] {
  // What the gateway's build writes with zod: a JSON Schema.
  const schema = JSON.parse(readFileSync(join(folder, CONFIGURATION), "utf8")) as object;
  const content = { "application/json": { schema } };
  const operation = { operationId: "configuration", requestBody: { required: true, content } };
  return { paths: { "/gateway/configuration": { post: { ...operation, responses: {} } } } };
}
