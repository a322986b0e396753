import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  type Contract,
  type ContractChange,
  compareContracts,
  printChanges,
  readEarlier,
  UnreadableContract,
} from "@insurance-gateway/contract-diff";
import { operationsOf, type ProviderDocument } from "@insurance-gateway/reference";
import { ImportFault } from "./report.ts";

/** The file in which authors record the endpoints that were called at the insurer. */
const VERIFIED_FILE = "verified.json";

/**
 * Reads the contract of a package before a re-import, from the package's `openapi.json`.
 * @returns null for a package without a contract
 * @throws ImportFault if the contract cannot be read
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

/** The differences between a package and its re-import. */
export interface ImportChanges {
  /** The changelog text for the users of the package. */
  readonly text: string;
  /** The names in `verified.json` whose declarations have changed since their verification. */
  readonly outdated: readonly string[];
}

/**
 * Compares a package's contract with its earlier contract and lists the changes for users, beginning with breaking
 * changes. Writes no file.
 * @param earlier - null for a package without an earlier contract
 */
export function changesSince(
  folder: string,
  earlier: Contract | null,
  document: ProviderDocument,
): ImportChanges {
  if (earlier === null) return { text: "", outdated: [] };
  const changes = compareContracts(withoutVerified(earlier), document);
  const endpoints = operationsOf(document).map(({ operation }) => operation.operationId);
  return {
    text: printChanges("For users, compared with openapi.json", changes),
    outdated: outdatedRecords(Object.keys(verifiedIn(folder)), endpoints, changes),
  };
}

/** Returns the verified endpoints that were removed or have a breaking change. */
function outdatedRecords(
  verified: readonly string[],
  endpoints: readonly string[],
  changes: readonly ContractChange[],
): readonly string[] {
  const broken = new Set(
    changes.filter(({ level }) => level === "major").map(({ endpoint }) => endpoint),
  );
  return verified.filter((name) => !endpoints.includes(name) || broken.has(name));
}

/**
 * Removes endpoints' records from `verified.json`, deletes the file if no record remains, and returns a message about
 * the removed records.
 */
export function removeVerified(folder: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const file = join(folder, VERIFIED_FILE);
  const records = Object.entries(verifiedIn(folder));
  const left = records.filter(([name]) => !names.includes(name));
  if (left.length === 0) rmSync(file);
  else writeFileSync(file, `${JSON.stringify(Object.fromEntries(left), null, 2)}\n`);
  return names
    .map((name) => `Removed ${name} from ${VERIFIED_FILE}: it is not as it was verified.\n`)
    .join("");
}

/** Returns the contract without the dates of verification, which users do not notice. */
function withoutVerified(contract: Contract): Contract {
  const paths = Object.entries(contract.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, { "x-verified": _verified, ...operation }]) => [
        method,
        operation,
      ]),
    ),
  ]);
  return { ...contract, paths: Object.fromEntries(paths) };
}

/** Returns the records by endpoint; an empty object if the file is not JSON, which the build reports. */
function verifiedIn(folder: string): object {
  const file = join(folder, VERIFIED_FILE);
  if (!existsSync(file)) return {};
  try {
    return Object(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}
