import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProviderNames } from "./naming.ts";

/** The contents of files, by path in the package, with `/` between folders. */
export type Files = ReadonlyMap<string, string>;

/** The suffix of every template file, so that no tool treats a template as the file that it becomes. */
const SUFFIX = ".template";

/** Returns the files of a provider package without endpoints. */
export function newPackage(names: ProviderNames): Files {
  return renderTemplate(readTemplate("provider"), names);
}

/** Returns the additional files for the first endpoint of a package, without the generated lists. */
export function firstEndpointFiles(names: ProviderNames): Files {
  return renderTemplate(readTemplate("first-endpoint"), names);
}

function readTemplate(name: "provider" | "first-endpoint"): Files {
  const folder = fileURLToPath(new URL(`../template/${name}/`, import.meta.url));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(SUFFIX))
    .map((entry) => join(entry.parentPath, entry.name));
  const pathOf = (file: string): string =>
    relative(folder, file).slice(0, -SUFFIX.length).replaceAll("\\", "/");
  return new Map(files.map((file) => [pathOf(file), readFileSync(file, "utf8")]));
}

/**
 * Inserts the names into the files of a template.
 * @throws TypeError if a placeholder has no name
 */
function renderTemplate(template: Files, names: ProviderNames): Files {
  const values: Readonly<Record<string, string>> = { ...names };
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_placeholder, key: string) => {
      const value = values[key];
      if (value === undefined) throw new TypeError(`No name replaces {{${key}}} of the template`);
      return value;
    });
  return new Map([...template].map(([path, text]) => [path, fill(text)]));
}
