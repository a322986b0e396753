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

/** How the importer is run: as a script of this repository, or installed from the registry. */
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
  /** In this repository. */
  readonly directory?: string;
  /** Outside of it. */
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

/** Runs the command line to its end; a document that cannot be imported ends it with code 1 and the reason. */
export async function runCommand(edition: Edition): Promise<void> {
  const program = new Command(texts[edition].command)
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
    .option("--dry-run", "report only, and write nothing")
    .showHelpAfterError("(--help shows every option)")
    .action((id: string, options: Options) => run(edition, id, options));
  if (edition === "repository")
    program.option("--directory <folder>", "where the packages are", "packages");
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
      `Nothing is selected. Select operations in an overlay (--overlay), or all of them with --all; ${texts[edition].guide} shows how`,
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
  // A file that the author wrote may import a removed name; the author must correct it.
  if (written.missing.length > 0) return print(text);
  const document = await loadWritten(folder).finally(() => print(text));
  const changes = changesSince(folder, earlier, document);
  print(changes.text);
  print(removeVerified(folder, changes.outdated));
  print(texts[edition].next);
}

/** The folder that the package is written into, and what the provider is called. */
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
