import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  type Contract,
  compareContracts,
  printChanges,
  readEarlier,
  UnreadableContract,
} from "@insurance-gateway/contract-diff";
import { providerDocument } from "@insurance-gateway/reference";
import { readProviderPackage } from "@insurance-gateway/reference/build";
import { ImportFault } from "./report.ts";

/**
 * Reads the contract that a package had before it is imported again: its `openapi.json`.
 * @returns null for a package that has none yet
 * @throws ImportFault when it cannot be read
 */
export function earlierContract(folder: string): Contract | null {
  const file = join(folder, "openapi.json");
  if (!existsSync(file)) return null;
  try {
    return readEarlier(file, { root: dirname(dirname(folder)), provider: basename(folder) });
  } catch (error) {
    if (!(error instanceof UnreadableContract)) throw error;
    throw new ImportFault(error.message);
  }
}

/**
 * Lists what a package's files say now, and said otherwise in an earlier contract: what is added, changed and removed for
 * its users, the breaking changes first. Also files that a person wrote count, so that the package is loaded.
 */
export async function changesText(folder: string, earlier: Contract): Promise<string> {
  try {
    const source = await readProviderPackage(folder, "src");
    const changes = compareContracts(earlier, providerDocument(source));
    return printChanges("For users, compared with openapi.json", changes);
  } catch (error) {
    // The package is the author's code, with whatever they changed in it.
    const reason = error instanceof Error ? error.message : String(error);
    return `What changed for users is not known, because the package cannot be loaded: ${reason}\n`;
  }
}
