import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Prepares the comments in a provider's declaration files for editors. It runs after tsc in the provider's folder.
 * Sentences such as "Source: …" are for authors, so only `src` keeps these sentences. The export of an endpoint gets a
 * copy of the endpoint's comment, because an editor shows the comment of the export for `client.createApplication`.
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

/** Replaces removed text by as many empty lines, so that the maps of the declarations remain correct. */
function keepLines(removed: string): string {
  return removed.replaceAll(/[^\n]+/g, "");
}
