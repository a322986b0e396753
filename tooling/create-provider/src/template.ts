import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProviderNames } from "./naming.ts";

/** Files by their path in the package, `/` between folders. */
export type Files = ReadonlyMap<string, string>;

/** The end of every file name in the template folder, so that no tool reads a template as the file it becomes. */
const SUFFIX = ".template";

/** The files of a provider's package that declares no endpoint yet. */
export function newPackage(names: ProviderNames): Files {
  return renderTemplate(readTemplate("provider"), names);
}

/** The files that a package also needs when it declares its first endpoint, without its lists. */
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
 * Writes the names into the files of a template.
 * @throws TypeError when a placeholder has no name
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
