import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type ImportedProvider,
  type ImportRequest,
  importProvider,
  writeImport,
} from "@insurance-gateway/import-provider";
import type { PublishedDocument } from "@insurance-gateway/import-provider/testing";

const packages = fileURLToPath(new URL("../../../../packages", import.meta.url));

/** The packages that were made of documents, in a folder of their own. */
export interface ImportedPackages {
  readonly folder: string;
  readonly providers: readonly { readonly id: string; readonly imported: ImportedProvider }[];
  /** The address of a source file of a package. */
  sourceOf(id: string, path: string): string;
  remove(): void;
}

/** Imports every operation of each document into a package of its own, beside core. */
export function importedPackages(documents: readonly PublishedDocument[]): ImportedPackages {
  const folder = mkdtempSync(join(tmpdir(), "imported-"));
  const files = documents.map((document, index) => {
    const from = join(folder, `document-${index + 1}.json`);
    writeFileSync(from, JSON.stringify(document));
    return { from, all: true };
  });
  return packagesOf(folder, files);
}

/** Imports each document, with its overlay, into a package of its own, beside core. */
export function importedFiles(
  files: readonly { readonly from: string; readonly overlay: string }[],
): ImportedPackages {
  const selected = files.map((file) => ({ ...file, all: false }));
  return packagesOf(mkdtempSync(join(tmpdir(), "imported-")), selected);
}

function packagesOf(
  folder: string,
  documents: readonly Omit<ImportRequest, "provider">[],
): ImportedPackages {
  mkdirSync(join(folder, "node_modules/@insurance-gateway"), { recursive: true });
  for (const name of ["core", "adapter"])
    symlinkSync(join(packages, name), join(folder, "node_modules/@insurance-gateway", name));
  symlinkSync(join(packages, "core/node_modules/zod"), join(folder, "node_modules/zod"));
  const providers = documents.map((document, index) => {
    const id = `provider-x${index + 1}`;
    const imported = importProvider({ provider: id, ...document });
    writeImport(join(folder, id), { id }, imported);
    return { id, imported };
  });
  return {
    folder,
    providers,
    sourceOf: (id, path) => pathToFileURL(join(folder, id, "src", path)).href,
    remove: () => rmSync(folder, { recursive: true }),
  };
}
