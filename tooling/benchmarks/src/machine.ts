import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";

/** The machine and the versions of a measurement. */
export interface Machine {
  /** ISO 8601, when the run began. */
  readonly at: string;
  readonly processor: string;
  readonly memoryGb: number;
  readonly linux: string;
  /** Over the last minute, when the run began and when it ended: 0 is an idle machine. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  /** The commit; with `+` when files differ from it. */
  readonly revision: string;
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * Describes this machine at the beginning of a run; the result describes it at its end.
 * @param versions - of what takes part, without Node
 */
export function machineNow(versions: Readonly<Record<string, string>>): () => Machine {
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

/** The version of an installed package of this workspace, such as `5.12.8`. */
export function packageVersion(name: string): string {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

/** One line that says what figures were measured on. */
export function machineText(machine: Machine): string {
  const { at, loadAfter, loadBefore, memoryGb, processor, revision, versions } = machine;
  const used = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `Measured on ${at.slice(0, 10)} at revision ${revision} on ${processor}, ${memoryGb} GB, load average ${loadBefore} before and ${loadAfter} after the run; ${used.join(", ")}.`;
}
