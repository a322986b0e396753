import { globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Run in the folder of a package after tsc: removes from `dist` the declarations that no exported one leads to. tsc
 * writes one for every module, also for those that only other modules use.
 */
const { publishConfig } = JSON.parse(readFileSync("package.json", "utf8")) as {
  // Every published package of this workspace has these fields.
  readonly publishConfig: {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
};

const reached = new Set<string>();
for (const entry of Object.values(publishConfig.exports))
  if (typeof entry === "object") reach(resolve(entry.types));
for (const file of globSync("dist/**/*.d.ts")) {
  if (reached.has(resolve(file))) continue;
  rmSync(file);
  rmSync(`${file}.map`);
}

function reach(file: string): void {
  if (reached.has(file)) return;
  reached.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/"(\.{1,2}\/[^"]+)\.ts"/g))
    reach(join(dirname(file), `${path}.d.ts`));
}
