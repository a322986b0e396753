import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ProviderDocument, providerDocument } from "@insurance-gateway/reference";
import { readDeclarations } from "@insurance-gateway/reference/build";
import { ImportFault } from "./report.ts";

/** The packages that every written package imports. */
const IMPORTED = ["@insurance-gateway/adapter", "@insurance-gateway/core", "zod"] as const;

/**
 * Loads an imported package like the package's build and returns the package's part of the contract. The package is
 * copied to a temporary folder with the importer's dependencies, because a new package has no installed dependencies.
 * @throws ImportFault with the reason if the package cannot be built
 */
export async function loadWritten(folder: string): Promise<ProviderDocument> {
  const place = mkdtempSync(join(tmpdir(), "written-"));
  try {
    for (const part of ["package.json", "src"])
      cpSync(join(folder, part), join(place, part), { recursive: true });
    const installed = join(folder, "node_modules");
    if (existsSync(installed)) symlinkSync(installed, join(place, "node_modules"));
    else linkImported(join(place, "node_modules"));
    return providerDocument(await readDeclarations(place));
  } catch (error) {
    // The author of the package may have made the fault in a file that the importer did not write.
    const reason = error instanceof Error ? error.message : String(error);
    throw new ImportFault(
      `The package was written and cannot be built: ${reason.replaceAll(place, folder)}`,
    );
  } finally {
    rmSync(place, { recursive: true });
  }
}

function linkImported(modules: string): void {
  for (const name of IMPORTED) {
    const link = join(modules, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`))), link);
  }
}
