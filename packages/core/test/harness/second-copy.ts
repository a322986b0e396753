import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { temporaryFolder } from "./temporary-folder.ts";

const core = fileURLToPath(new URL("../..", import.meta.url));

/** Loads core a second time from another folder, as in a program whose packages contain two copies. */
export async function secondCopy(): Promise<typeof import("../../src/index.ts")> {
  const folder = await temporaryFolder();
  await cp(join(core, "src"), join(folder, "src"), { recursive: true });
  await symlink(join(core, "node_modules"), join(folder, "node_modules"));
  return import(pathToFileURL(join(folder, "src/index.ts")).href);
}
