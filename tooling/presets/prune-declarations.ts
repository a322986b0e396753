import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Run in the folder of a package after tsc: removes from `dist` the declarations that no exported one leads to, and the comments of
 * those that no entry with a promise exports. tsc writes all of them for every module, also for those that only other modules use.
 */
const { publishConfig } = JSON.parse(readFileSync("package.json", "utf8")) as {
  // Every published package of this workspace has these fields.
  readonly publishConfig: {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
};

/** An entry without promise (VERSIONING.md). */
const WITHOUT_PROMISE = "./runtime";

const entries = Object.entries(publishConfig.exports).flatMap(([name, entry]) =>
  typeof entry === "object" ? [{ name, file: resolve(entry.types) }] : [],
);
const used = reached(entries, /"(\.{1,2}\/[^"]+)\.ts"/g);
const exported = reached(
  entries.filter(({ name }) => name !== WITHOUT_PROMISE),
  /^export [^;]*? from "(\.{1,2}\/[^"]+)\.ts"/gm,
);
for (const file of globSync("dist/**/*.d.ts").map((one) => resolve(one)))
  if (!used.has(file)) {
    rmSync(file);
    rmSync(`${file}.map`);
  } else if (!exported.has(file)) writeFileSync(file, withoutComments(readFileSync(file, "utf8")));

/** Returns the files to which references of a form lead from the entries. */
function reached(from: readonly { readonly file: string }[], reference: RegExp): Set<string> {
  const files = new Set(from.map(({ file }) => file));
  for (const file of files)
    for (const [, path] of readFileSync(file, "utf8").matchAll(reference))
      files.add(join(dirname(file), `${path}.d.ts`));
  return files;
}

/** Keeps the lines, so that the maps of the declarations stay right. */
function withoutComments(text: string): string {
  return text.replaceAll(/^ *\/\*\*[\s\S]*?\*\/$/gm, (comment) => comment.replaceAll(/.+/g, ""));
}
