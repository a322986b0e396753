import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "./naming.ts";
import type { Files } from "./template.ts";

/** Folders beside the providers' whose packages have the same scope, so that a name is taken there too. */
const NEIGHBOURS: readonly string[] = [".", "../apps", "../tooling"];

/**
 * Writes a package's files into a folder of its own, and nothing else.
 * @throws Refusal when the name is taken or the directory is not there
 */
export function writePackage(directory: string, id: string, files: Files): string {
  if (!existsSync(directory))
    throw new Refusal(
      `There is no folder ${directory}. Run this in the repository's root, or name the folder with --directory.`,
    );
  const taken = NEIGHBOURS.map((neighbour) => join(directory, neighbour, id)).find(existsSync);
  if (taken !== undefined)
    throw new Refusal(`${taken} exists already. Choose another id, or remove that folder first.`);
  const folder = join(directory, id);
  for (const [path, text] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
  }
  return folder;
}
