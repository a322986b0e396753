import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Refusal } from "@insurance-gateway/create-provider";
import { Command } from "commander";
import { changesText, earlierContract } from "./changes.ts";
import { type ImportedProvider, importProvider } from "./import-provider.ts";
import { ImportFault, type Loss } from "./report.ts";
import { suggestOverlay } from "./suggest/suggest-overlay.ts";
import { type WrittenImport, writeImport } from "./write-import.ts";
import { translatedText } from "./wsdl/translate.ts";

interface Options {
  readonly from: string;
  readonly overlay?: string;
  readonly translate?: true;
  readonly suggest?: true;
  readonly all?: true;
  readonly allowLossy?: true;
  readonly name?: string;
  readonly directory: string;
  readonly dryRun?: true;
}

const program = new Command("npm run import:provider --")
  .description(
    "Writes a provider's endpoints from the insurer's own document: OpenAPI 2.0, 3.0 or 3.1, in JSON or YAML, or WSDL 1.1.",
  )
  .argument("<id>", "the provider's path segment, such as provider-f")
  .requiredOption("--from <file>", "the insurer's document")
  .option("--overlay <file>", "what is imported and how (OpenAPI Overlay 1.0)")
  .option(
    "--translate",
    "prints a WSDL as the OpenAPI document that an overlay is for, and writes nothing",
  )
  .option("--suggest", "prints a first overlay with reasons, and writes nothing")
  .option("--all", "every operation that the overlay does not leave out")
  .option("--allow-lossy", "also when something of the document is lost")
  .option("--name <name>", "the name that a person reads, for a new package")
  .option("--directory <folder>", "where the packages are", "packages")
  .option("--dry-run", "report only, and write nothing")
  .showHelpAfterError("(--help shows every option)")
  .action(run);

async function run(id: string, options: Options): Promise<void> {
  if (options.translate === true) {
    print(translatedText(options.from));
    return;
  }
  if (options.suggest === true) {
    print(suggestOverlay(options.from));
    return;
  }
  const { all = false, allowLossy, directory, dryRun, from, name, overlay } = options;
  const imported = importProvider({
    provider: id,
    from,
    all,
    ...(overlay === undefined ? {} : { overlay }),
  });
  const lost = imported.losses.filter(({ severity }) => severity === "lost");
  print(lossesText(imported.losses));
  if (imported.operations.selected === 0)
    throw new ImportFault(
      "Nothing is selected. Select operations in an overlay (--overlay), or all of them with --all; docs/importing.md shows how",
    );
  if (imported.endpoints.length === 0) throw new ImportFault("No operation could be imported");
  if (lost.length > 0 && allowLossy !== true)
    throw new ImportFault(
      `${counted(lost.length, "loss", "losses")}, and nothing was written. Solve them in the overlay, or accept them with --allow-lossy`,
    );
  if (dryRun === true) {
    print(
      `${counted(imported.endpoints.length, "endpoint")} would be imported; nothing was written.\n`,
    );
    return;
  }
  if (!existsSync(directory))
    throw new ImportFault(
      `There is no folder ${directory}; name the packages' folder with --directory`,
    );
  const folder = join(resolve(directory), id);
  const provider = { id, ...(name === undefined ? {} : { name }) };
  const earlier = earlierContract(folder);
  const written = writeImport(folder, provider, imported);
  print(writtenText(relative("", folder), imported, written));
  if (earlier !== null) print(await changesText(folder, earlier));
  print(NEXT);
}

function lossesText(losses: readonly Loss[]): string {
  return losses
    .map(({ effect, operation, pointer, severity }) => {
      const place = operation === "" ? pointer : `${operation} (${pointer})`;
      return `${severity === "lost" ? "lost    " : "loosened"}  ${place}\n          ${effect}\n`;
    })
    .join("");
}

function writtenText(
  folder: string,
  { endpoints, title, version }: ImportedProvider,
  { kept, removed, written }: WrittenImport,
): string {
  const lines = [
    `${folder}: ${counted(endpoints.length, "endpoint")} of ${title} ${version}`,
    `  ${counted(written.length, "file")} written, ${removed.length} removed`,
    ...kept.map((path) => `  kept, because a person wrote or changed it: ${path}`),
  ];
  return `${lines.join("\n")}\n\n`;
}

const NEXT = `What comes next:
  npx pnpm install              links a new package into the workspace
  npm run openapi               writes its part of the contract
  npm test                      proves that it keeps the rules of every provider
`;

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function print(text: string): void {
  process.stdout.write(text);
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ImportFault) && !(error instanceof Refusal)) throw error;
  const place = error instanceof ImportFault && error.pointer !== "" ? `${error.pointer}: ` : "";
  process.stderr.write(`${place}${error.message}.\n`);
  process.exitCode = 1;
}
