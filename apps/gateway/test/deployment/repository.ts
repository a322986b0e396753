import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";

const root = new URL("../../../../", import.meta.url);

/** Returns the text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(new URL(path, root), "utf8");
}

/** Reports whether the repository has a file or a folder. */
export function isThere(path: string): boolean {
  return existsSync(new URL(path, root));
}

/** Returns the names in a folder of the repository. */
export function namesIn(folder: string): readonly string[] {
  return readdirSync(fileURLToPath(new URL(folder, root)));
}

/**
 * Returns the documents of a YAML file.
 * @throws Error with the first fault in the file
 */
export function documentsOf(path: string): readonly unknown[] {
  return parseAllDocuments(textOf(path)).map((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined) throw new Error(`${path}: ${error.message}`);
    return document.toJS();
  });
}
