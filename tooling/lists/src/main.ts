import { existsSync, globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Command } from "commander";
import { readPackage, writeChanged } from "./folder.ts";
import { listsOf } from "./lists.ts";

const program = new Command("npm run lists --")
  .description(
    "Writes the index files, the sandbox's list of handlers and the README's table of a provider's package from its other files. With the first endpoint, it also writes the sandbox and the conformance test.",
  )
  .argument("[ids...]", "the providers, such as provider-a (default: every provider)")
  .option("--directory <folder>", "the folder of the packages", "packages")
  .action((ids: readonly string[], { directory }: { readonly directory: string }) => {
    for (const id of ids.length === 0 ? providersIn(directory) : ids) writeLists(directory, id);
  });

/** The folders that declare a provider. */
function providersIn(directory: string): readonly string[] {
  const found = globSync("*/src/provider.ts", { cwd: directory }).map((path) =>
    basename(dirname(dirname(path))),
  );
  return found.toSorted();
}

function writeLists(directory: string, id: string): void {
  const folder = join(directory, id);
  if (!existsSync(join(folder, "src/provider.ts")))
    program.error(`${folder} is not a provider package: it has no src/provider.ts`);
  try {
    for (const path of writeChanged(folder, listsOf(readPackage(folder))))
      process.stdout.write(`${join(folder, path)}\n`);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    program.error(`${folder}: ${error.message}`);
  }
}

program.parse();
