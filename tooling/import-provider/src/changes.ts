import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
import { kebabCase } from "./names/words.ts";
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
 * its users, the breaking changes first. Also files that a person wrote count, so that the package is loaded. What was
 * verified at the insurer before a breaking change is not verified any more, so its record is removed.
 * @param earlier - null for a package that has no contract yet
 */
export async function changesText(folder: string, earlier: Contract | null): Promise<string> {
  // The package is not loaded as long as it has records of endpoints that it does not have.
  const removed = removeVerified(folder, (name) => !hasEndpoint(folder, name));
  if (earlier === null) return removed;
  try {
    const source = await readProviderPackage(folder, "src");
    const changes = compareContracts(earlier, providerDocument(source));
    const broken = new Set(
      changes.filter(({ level }) => level === "major").map(({ endpoint }) => endpoint),
    );
    const outdated = removeVerified(folder, (name) => broken.has(name));
    return printChanges("For users, compared with openapi.json", changes) + removed + outdated;
  } catch (error) {
    // The package is the author's code, with whatever they changed in it.
    const reason = error instanceof Error ? error.message : String(error);
    return `What changed for users is not known, because the package cannot be loaded: ${reason}\n${removed}`;
  }
}

function hasEndpoint(folder: string, name: string): boolean {
  return existsSync(join(folder, "src/endpoints", `${kebabCase(name)}.ts`));
}

/** Removes records from `verified.json`, and the file with the last one. Returns what to print about it. */
function removeVerified(folder: string, isOutdated: (endpoint: string) => boolean): string {
  const file = join(folder, "verified.json");
  if (!existsSync(file)) return "";
  const records = Object.entries(Object(parsed(readFileSync(file, "utf8"))));
  const names = records.map(([name]) => name).filter(isOutdated);
  if (names.length === 0) return "";
  const left = Object.fromEntries(records.filter(([name]) => !names.includes(name)));
  if (names.length === records.length) rmSync(file);
  else writeFileSync(file, `${JSON.stringify(left, null, 2)}\n`);
  return names
    .map(
      (name) => `verified.json no longer has ${name}, which is not what was verified any more.\n`,
    )
    .join("");
}

/** Null for a file that is not JSON, which the build refuses with its reason. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
