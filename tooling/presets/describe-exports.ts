import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Run in the folder of a provider after tsc: prepares the doc comments of its declarations for editors. The sources of
 * declarations ("Source: …") concern authors, so they stay in `src`. An exported endpoint gets its comment again where it is
 * exported: an editor that shows `client.createApplication` finds the exported name, not the declaration behind it.
 */
export function describeExports(): void {
  const files = globSync("dist/**/*.d.ts");
  for (const file of files)
    rewrite(file, (text) =>
      text.replaceAll(/\s*\bSource: (?:(?!\*\/)[\s\S])*?\.(?=\s)/g, keepLines),
    );
  for (const file of files)
    rewrite(file, (text) =>
      text.replaceAll(/export \{ (\w+) \} from "(\.[^"]+)\.ts";/g, (whole, name, path) => {
        const declared = readFileSync(join(dirname(file), `${path}.d.ts`), "utf8");
        const comment = new RegExp(
          String.raw`(/\*\*(?:(?!\*/)[\s\S])*\*/)\s*export declare const ${name}\b`,
        ).exec(declared)?.[1];
        return comment === undefined ? whole : whole.replace("{", () => `{ ${comment}`);
      }),
    );
}

function rewrite(file: string, change: (text: string) => string): void {
  const before = readFileSync(file, "utf8");
  const after = change(before);
  if (after !== before) writeFileSync(file, after);
}

/** Keeps the number of lines, so that the maps of the declarations stay right. */
function keepLines(removed: string): string {
  return removed.replaceAll(/[^\n]+/g, "");
}
