import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const groups = ["packages", "apps", "tooling"];
const left = new Set([".git", ".turbo", "data", "node_modules"]);

/** A copy of the working tree in which files may be changed. */
export interface Copy {
  readonly path: string;
  remove(): void;
}

/**
 * Copies the built working tree without the git history. Installed packages are links to the original working tree.
 * The packages of the workspace are those in the copy, because pnpm links workspace packages with relative paths.
 */
export function copyOf(root: string): Copy {
  const path = mkdtempSync(join(tmpdir(), "insurance-gateway-mutation-"));
  const filter = (source: string): boolean => !left.has(basename(source));
  cpSync(root, path, { recursive: true, verbatimSymlinks: true, filter });
  linkEach(join(root, "node_modules"), join(path, "node_modules"));
  for (const group of groups)
    for (const name of readdirSync(join(root, group))) {
      const from = join(root, group, name, "node_modules");
      const to = join(path, group, name, "node_modules");
      if (existsSync(from)) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Creates a link to each entry of a folder, so that files written into the copy's folder do not reach the original.
 */
function linkEach(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name !== ".vite" && name !== ".cache") symlinkSync(join(from, name), join(to, name));
}
