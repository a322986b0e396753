import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Refusal } from "@insurance-gateway/create-provider";
import { Command } from "commander";
import { changesSince, earlierContract, removeVerified } from "./changes.ts";
import { type ImportedProvider, importProvider } from "./import-provider.ts";
import { loadWritten } from "./load-written.ts";
import type { ProviderName } from "./package-files.ts";
import { ImportFault, type Loss } from "./report.ts";
import { suggestOverlay } from "./suggest/suggest-overlay.ts";
import { recordedPackage, type WrittenImport, writeImport } from "./write-import.ts";
import { translatedText } from "./wsdl/translate.ts";

/** The edition of the importer: a script of this repository, or the package that users install from the registry. */
export type Edition = "repository" | "published";

interface Options {
  readonly from: string;
  readonly overlay?: string;
  readonly translate?: true;
  readonly suggest?: true;
  readonly all?: true;
  readonly allowLossy?: true;
  readonly name?: string;
  readonly dryRun?: true;
  /** The folder of the packages, only in this repository. */
  readonly directory?: string;
  /** The folder of the new package, only outside this repository. */
  readonly to?: string;
  readonly package?: string;
}

const texts: Readonly<Record<Edition, { command: string; guide: string; next: string }>> = {
  repository: {
    command: "npm run import:provider --",
    guide: "docs/importing.md",
    next: `What comes next:
  npx pnpm install              links a new package into the workspace
  npm run openapi               writes its part of the contract
  npm test                      runs the conformance tests for every provider
`,
  },
  published: {
    command: "insurance-gateway-import",
    guide: "dist/importing.md of @insurance-gateway/import-provider",
    next: `What comes next, in that folder:
  npm install                   installs what it needs
  npm test                      runs the conformance tests for every provider
  npm run build                 builds it, and writes its contract to openapi.json
`,
  },
};

/** Runs the command. If the document cannot be imported, prints the reason and exits with code 1. */
export async function runCommand(edition: Edition): Promise<void> {
  const program = new Command(texts[edition].command)
    .description(
      "Writes a provider's endpoints from the insurer's own document: OpenAPI 2.0, 3.0 or 3.1, in JSON or YAML, or WSDL 1.1.",
    )
    .argument("<id>", "the provider's path segment, such as provider-f")
    .requiredOption("--from <file>", "the insurer's document")
    .option(
      "--overlay <file>",
      "the overlay, which selects and corrects operations (OpenAPI Overlay 1.0)",
    )
    .option(
      "--translate",
      "prints the OpenAPI document that a WSDL is translated to, which the overlay must match, and writes nothing",
    )
    .option("--suggest", "prints a suggested overlay with reasons, and writes nothing")
    .option("--all", "imports every operation that the overlay does not exclude")
    .option("--allow-lossy", "also imports if a part of the document is lost")
    .option("--name <name>", "the display name of the provider, for a new package")
    .option("--dry-run", "only prints the report, and writes nothing")
    .showHelpAfterError("(--help shows every option)")
    .action((id: string, options: Options) => run(edition, id, options));
  if (edition === "repository")
    program.option("--directory <folder>", "the folder of the packages", "packages");
  else
    program
      .option("--to <folder>", "the package's folder (default: the id)")
      .option(
        "--package <name>",
        "the package's name, for a new package (default: insurance-gateway-<id>)",
      );
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof ImportFault) && !(error instanceof Refusal)) throw error;
    const place = error instanceof ImportFault && error.pointer !== "" ? `${error.pointer}: ` : "";
    process.stderr.write(`${place}${error.message}.\n`);
    process.exitCode = 1;
  }
}

async function run(edition: Edition, id: string, options: Options): Promise<void> {
  if (options.translate === true) {
    print(translatedText(options.from));
    return;
  }
  if (options.suggest === true) {
    print(suggestOverlay(options.from));
    return;
  }
  const { all = false, allowLossy, dryRun, from, overlay } = options;
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
      `No operation is selected. Select operations in an overlay (--overlay), or all with --all; ${texts[edition].guide} shows how`,
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
  const { folder, provider } = targetOf(edition, id, options);
  const earlier = earlierContract(folder);
  const written = writeImport(folder, provider, imported);
  const text = writtenText(relative("", folder), imported, written);
  // The author must first correct the file that imports a removed name.
  if (written.missing.length > 0) return print(text);
  const document = await loadWritten(folder).finally(() => print(text));
  const changes = changesSince(folder, earlier, document);
  print(changes.text);
  print(removeVerified(folder, changes.outdated));
  print(texts[edition].next);
}

/** Returns the folder and the names of the package to write. */
function targetOf(
  edition: Edition,
  id: string,
  { directory = "packages", name, package: packageName, to = id }: Options,
): { readonly folder: string; readonly provider: ProviderName } {
  const called = { id, ...(name === undefined ? {} : { name }) };
  if (edition === "published") {
    const folder = resolve(to);
    const chosen = packageName ?? recordedPackage(folder) ?? `insurance-gateway-${id}`;
    return { folder, provider: { ...called, packageName: chosen } };
  }
  if (!existsSync(directory))
    throw new ImportFault(
      `There is no folder ${directory}; name the packages' folder with --directory`,
    );
  return { folder: join(resolve(directory), id), provider: called };
}

function lossesText(losses: readonly Loss[]): string {
  return losses
    .map(({ effect, operation, pointer, severity }) => {
      const place = operation === "" ? pointer : `${operation} (${pointer})`;
      return `${severity.padEnd(8)}  ${place}\n          ${effect}\n`;
    })
    .join("");
}

function writtenText(
  folder: string,
  { endpoints, title, version }: ImportedProvider,
  { kept, missing, removed, written }: WrittenImport,
): string {
  const lines = [
    `${folder}: ${counted(endpoints.length, "endpoint")} of ${title} ${version}`,
    `  ${counted(written.length, "file")} written, ${removed.length} removed`,
    ...kept.map((path) => `  kept, because a person wrote or changed it: ${path}`),
    ...missing.map((what) => `  to correct: ${what}`),
  ];
  return `${lines.join("\n")}\n\n`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function print(text: string): void {
  process.stdout.write(text);
}
