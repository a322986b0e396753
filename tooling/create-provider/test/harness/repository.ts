import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository that these tests are part of. */
export const repository: string = fileURLToPath(new URL("../../../../", import.meta.url));

/** The scaffold's command line. */
export const program: string = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Files that tools put into a package's folder, which are not part of its source. */
const PRODUCED: readonly string[] = [
  "dist",
  "node_modules",
  ".turbo",
  ".built-from",
  "CHANGELOG.md",
];

/** The files of a folder by their path in it, without what tools put there. */
export function filesOf(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder)
    .filter((name) => !PRODUCED.includes(name))
    .flatMap((name) => expand(join(folder, name)));
  return new Map(
    files.map((file) => [relative(folder, file).replaceAll(sep, "/"), readFileSync(file, "utf8")]),
  );
}

function expand(path: string): readonly string[] {
  const stats: Stats = statSync(path);
  if (!stats.isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => expand(join(path, name)));
}
