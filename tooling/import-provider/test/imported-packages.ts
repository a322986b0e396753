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

/** A document that is imported: a file, or its content. */
export type ImportedDocument = Omit<ImportRequest, "provider" | "from"> & {
  readonly from: string | PublishedDocument;
};

/** A package that an import wrote. */
export interface ImportedPackage {
  readonly id: string;
  readonly folder: string;
  readonly imported: ImportedProvider;
  /** The address of a source file, to import it. */
  readonly sourceOf: (path: string) => string;
}

/** Packages of documents, in a workspace of their own. */
export interface ImportedPackages {
  readonly workspace: string;
  readonly packages: readonly ImportedPackage[];
  readonly remove: () => void;
}

/**
 * Imports each document into a package of its own, which finds what every provider's package finds, and whose scripts
 * run as in this repository: `provider-x1`, `provider-x2` and so on, or `provider-x` if there is only one.
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
