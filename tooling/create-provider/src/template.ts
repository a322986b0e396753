import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProviderNames } from "./naming.ts";

/** Files by their path in the package, `/` between folders. */
export type Files = ReadonlyMap<string, string>;

const folder = fileURLToPath(new URL("../template/", import.meta.url));

/** Ends every name in the template folder, so that no tool takes a file for what it is a template of. */
const SUFFIX = ".template";

/** Reads the template, placeholders and all, by the paths its files will have. */
export function readTemplate(): Files {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(SUFFIX))
    .map((entry) => join(entry.parentPath, entry.name));
  const pathOf = (file: string): string =>
    relative(folder, file).slice(0, -SUFFIX.length).replaceAll("\\", "/");
  return new Map(files.map((file) => [pathOf(file), readFileSync(file, "utf8")]));
}

/**
 * The files of a provider's package.
 * @throws TypeError when the template has a placeholder that no name fills
 */
export function renderTemplate(template: Files, names: ProviderNames): Files {
  const values: Readonly<Record<string, string>> = { ...names };
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_placeholder, key: string) => {
      const value = values[key];
      if (value === undefined) throw new TypeError(`Nothing fills {{${key}}} of the template`);
      return value;
    });
  return new Map([...template].map(([path, text]) => [path, fill(text)]));
}
