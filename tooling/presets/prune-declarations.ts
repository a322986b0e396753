import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Removes declaration files that no exported declaration uses, and the comments of declarations that only unstable
 * entry points export. It runs after tsc in the package's folder: tsc writes a declaration file for every module, even
 * for an internal module.
 */
const { publishConfig } = JSON.parse(readFileSync("package.json", "utf8")) as {
  // Every published package of this workspace has these fields.
  readonly publishConfig: {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
};

/** The entry point whose types may change in any minor version (VERSIONING.md). */
const UNSTABLE = "./runtime";

const entries = Object.entries(publishConfig.exports).flatMap(([name, entry]) =>
  typeof entry === "object" ? [{ name, file: resolve(entry.types) }] : [],
);
const used = reached(entries, /"(\.{1,2}\/[^"]+)\.ts"/g);
const exported = reached(
  entries.filter(({ name }) => name !== UNSTABLE),
  /^export [^;]*? from "(\.{1,2}\/[^"]+)\.ts"/gm,
);
for (const file of globSync("dist/**/*.d.ts").map((one) => resolve(one)))
  if (!used.has(file)) {
    rmSync(file);
    rmSync(`${file}.map`);
  } else if (!exported.has(file)) writeFileSync(file, withoutComments(readFileSync(file, "utf8")));

/** Returns all files that the entry files reference directly or indirectly. */
function reached(from: readonly { readonly file: string }[], reference: RegExp): Set<string> {
  const files = new Set(from.map(({ file }) => file));
  for (const file of files)
    for (const [, path] of readFileSync(file, "utf8").matchAll(reference))
      files.add(join(dirname(file), `${path}.d.ts`));
  return files;
}

/** Removes comments but keeps the number of lines, so that the maps of the declarations remain correct. */
function withoutComments(text: string): string {
  return text.replaceAll(/^ *\/\*\*[\s\S]*?\*\/$/gm, (comment) => comment.replaceAll(/.+/g, ""));
}
