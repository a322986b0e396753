import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Files } from "./lists.ts";

/** Reads the source files, the conformance test and the README of a provider's package. */
export function readPackage(folder: string): Files {
  const paths = globSync(["README.md", "src/**/*.ts", "test/provider.test.ts"], {
    cwd: folder,
  }).toSorted();
  return new Map(
    paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(folder, path), "utf8")]),
  );
}

/**
 * Writes the files whose content differs from the file in the folder.
 * @returns the paths of the written files
 */
export function writeChanged(folder: string, files: Files): readonly string[] {
  const changed = [...files].filter(([path, text]) => {
    const file = join(folder, path);
    return !existsSync(file) || readFileSync(file, "utf8") !== text;
  });
  for (const [path, text] of changed) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return changed.map(([path]) => path);
}
