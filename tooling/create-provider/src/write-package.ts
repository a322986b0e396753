import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "./naming.ts";
import type { Files } from "./template.ts";

/** Other folders with packages of the same scope, in which a name must also be free. */
const NEIGHBOUR_FOLDERS: readonly string[] = [".", "../apps", "../tooling"];

/**
 * Writes the files of a package into a new folder and changes no other files.
 * @throws Refusal if the name is taken or the directory does not exist
 */
export function writePackage(directory: string, id: string, files: Files): string {
  if (!existsSync(directory))
    throw new Refusal(
      `There is no folder ${directory}. Run this in the repository's root, or name the folder with --directory.`,
    );
  const taken = NEIGHBOUR_FOLDERS.map((neighbour) => join(directory, neighbour, id)).find(
    existsSync,
  );
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
