import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type ImportedProvider,
  type ImportRequest,
  importProvider,
} from "../src/import-provider.ts";
import { writeImport } from "../src/write-import.ts";
import type { PublishedDocument } from "./octokit-document.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** A document to import, given as a file or as content. */
export type ImportedDocument = Omit<ImportRequest, "provider" | "from"> & {
  readonly from: string | PublishedDocument;
};

/** A package that an import has written. */
export interface ImportedPackage {
  readonly id: string;
  readonly folder: string;
  readonly imported: ImportedProvider;
  /** Returns the URL of a source file for `import()`. */
  readonly sourceOf: (path: string) => string;
}

/** Imported packages in a temporary workspace. */
export interface ImportedPackages {
  readonly workspace: string;
  readonly packages: readonly ImportedPackage[];
  readonly remove: () => void;
}

/**
 * Imports each document into a separate package that can import the same modules and run the same scripts as the
 * repository's provider packages. The names are `provider-x1`, `provider-x2` and so on, or `provider-x` for a single
 * document.
 */
export function importedPackages(documents: readonly ImportedDocument[]): ImportedPackages {
  const workspace = mkdtempSync(join(tmpdir(), "imported-"));
  symlinkSync(join(repository, "node_modules"), join(workspace, "node_modules"));
  const packages = documents.map(({ from, ...request }, index): ImportedPackage => {
    const id = documents.length === 1 ? "provider-x" : `provider-x${index + 1}`;
    const file = typeof from === "string" ? from : join(workspace, `${id}.json`);
    if (typeof from !== "string") writeFileSync(file, JSON.stringify(from));
    const imported = importProvider({ provider: id, ...request, from: file });
    const folder = join(workspace, "packages", id);
    mkdirSync(folder, { recursive: true });
    writeImport(folder, { id }, imported);
    symlinkSync(join(repository, "packages/provider-f/node_modules"), join(folder, "node_modules"));
    return {
      id,
      folder,
      imported,
      sourceOf: (path) => pathToFileURL(join(folder, "src", path)).href,
    };
  });
  return { workspace, packages, remove: () => rmSync(workspace, { recursive: true }) };
}
