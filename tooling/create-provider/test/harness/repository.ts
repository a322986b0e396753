import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this repository. */
export const repository: string = fileURLToPath(new URL("../../../../", import.meta.url));

/** The file of the command `new:provider`. */
export const program: string = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Files that tools write into a package's folder and that are not source. */
const GENERATED_FILES: readonly string[] = [
  "dist",
  "node_modules",
  ".turbo",
  ".built-from",
  "CHANGELOG.md",
];

/** Returns the source files of a folder by their path in it. */
export function filesOf(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder)
    .filter((name) => !GENERATED_FILES.includes(name))
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
