import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";

/** The machine and the versions of a measurement. */
export interface Machine {
  /** The start of the run in ISO 8601. */
  readonly at: string;
  readonly processor: string;
  readonly memoryGb: number;
  readonly linux: string;
  /** The load average of the last minute at the start and at the end of the run; 0 is an idle machine. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  /** The commit, with `+` if files differ from the commit. */
  readonly revision: string;
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * Describes this machine at the start of a run. The returned function adds the machine's load at the end of the run.
 * @param versions - the versions of the measured programs, without Node.js
 */
export function describeMachine(versions: Readonly<Record<string, string>>): () => Machine {
  const at = new Date().toISOString();
  const loadBefore = load();
  const git = (...parameters: readonly string[]): string =>
    execFileSync("git", [...parameters], { encoding: "utf8" }).trim();
  const differs = git("status", "--porcelain", "--", "apps", "packages") === "" ? "" : "+";
  const revision = `${git("rev-parse", "--short", "HEAD")}${differs}`;
  return () => ({
    at,
    processor: `${availableParallelism()} × ${cpus()[0]?.model ?? "an unknown processor"}`,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    linux: release(),
    loadBefore,
    loadAfter: load(),
    revision,
    versions: { node: process.versions.node, ...versions },
  });
}

function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}

/** Returns the version of an installed package, such as `5.12.8`. */
export function packageVersion(name: string): string {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

/** Describes the machine of a measurement in one line. */
export function machineText(machine: Machine): string {
  const { at, loadAfter, loadBefore, memoryGb, processor, revision, versions } = machine;
  const used = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `Measured on ${at.slice(0, 10)} at revision ${revision} on ${processor}, ${memoryGb} GB, load average ${loadBefore} before and ${loadAfter} after the run; ${used.join(", ")}.`;
}
