import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Contract } from "./contract.ts";
import { isNode } from "./json.ts";
import { UnreadableContract } from "./side.ts";

const FILE = "openapi.json";

/** The repository and the provider whose contract is compared. */
export interface ProviderFolder {
  /** The root of the repository. */
  readonly root: string;
  /** The provider's id, which is its folder name in `packages`. */
  readonly provider: string;
}

/**
 * Reads the contract of the working tree.
 * @throws UnreadableContract if the contract does not exist
 */
export function readCurrent({ provider, root }: ProviderFolder): Contract {
  const path = join(root, "packages", provider, FILE);
  if (!existsSync(path))
    throw new UnreadableContract(
      `packages/${provider}/${FILE} does not exist. Name a provider with endpoints, such as provider-d; ` +
        "`npm run openapi` writes the file.",
    );
  return parse(readFileSync(path, "utf8"), path);
}

/**
 * Reads the earlier contract for the comparison.
 * @param against - the path of a file, of the provider's package or of a repository; otherwise a Git revision
 * @returns null if the provider has no contract there, so the provider is new
 * @throws UnreadableContract if neither such a path nor such a revision exists
 */
export function readEarlier(against: string, folder: ProviderFolder): Contract | null {
  const path = resolve(against);
  if (!existsSync(path)) return readRevision(against, folder);
  if (statSync(path).isFile()) return parse(readFileSync(path, "utf8"), path);
  const own = basename(path) === folder.provider ? [join(path, FILE)] : [];
  const found = [...own, join(path, "packages", folder.provider, FILE), join(path, FILE)].find(
    (file) => existsSync(file),
  );
  if (found !== undefined) return parse(readFileSync(found, "utf8"), found);
  if (existsSync(join(path, "packages"))) return null;
  throw new UnreadableContract(`${path} has no ${FILE} and no folder "packages".`);
}

function readRevision(revision: string, { provider, root }: ProviderFolder): Contract | null {
  const path = `packages/${provider}/${FILE}`;
  const commit = git(root, [
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${revision}^{commit}`,
  ]);
  if (commit === null)
    throw new UnreadableContract(
      `"${revision}" is neither a file, nor a folder, nor a Git revision. Use for example --against main or --against @insurance-gateway/${provider}@1.0.0.`,
    );
  const text = git(root, ["show", `${commit.trim()}:${path}`]);
  return text === null ? null : parse(text, `${revision}:${path}`);
}

/** Runs Git and returns its output; null if Git fails. */
function git(root: string, parameters: readonly string[]): string | null {
  try {
    return execFileSync("git", parameters, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1_000_000_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return null;
  }
}

function parse(text: string, source: string): Contract {
  const document = parseJson(text);
  if (!isContract(document))
    throw new UnreadableContract(`${source} is not an OpenAPI document: it has no "paths".`);
  return document;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reports whether a document has the members of `Contract`. Other members are not checked. */
function isContract(document: unknown): document is Contract {
  return isNode(document) && isNode(document.paths) && Object.values(document.paths).every(isNode);
}
