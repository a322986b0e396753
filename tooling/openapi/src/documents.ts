import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  catalogueOf,
  catalogueText,
  completeDocument,
  type DocumentSource,
  type OpenApiDocument,
  ownProblems,
  packagedDocument,
  providerDocument,
} from "@insurance-gateway/reference";
import {
  readDeclarations,
  readProviderPackage,
  writeDocument,
} from "@insurance-gateway/reference/build";

/** A provider's document and its committed file. */
export interface CommittedDocument {
  /** The path of the file from the repository's root. */
  readonly file: string;
  readonly source: DocumentSource;
  /** The document as the gateway serves it, with the gateway's additions. */
  readonly document: OpenApiDocument;
  /** The text that the committed file must have. The file contains only the provider's part of the document. */
  readonly text: string;
}

/**
 * Creates the documents of all providers with endpoints from their sources.
 * @param report - receives the reason and the place if a package has no document. Default: throws the reason
 */
export async function makeDocuments(
  root: string,
  report: (fault: string) => void = refuse,
): Promise<readonly CommittedDocument[]> {
  const folders = globSync("packages/*/package.json", { cwd: root })
    .filter((file) => isProviderPackage(readFileSync(join(root, file), "utf8")))
    .map((file) => file.replace(/\/package\.json$/, ""))
    .toSorted();
  const made = await Promise.all(
    folders.map(async (folder) => {
      try {
        return await documentsOf(root, folder);
      } catch (error) {
        report(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
        return [];
      }
    }),
  );
  return made.flat();
}

/** Creates the document of the gateway's own endpoints, which core declares. */
export async function makeOwnDocument(root: string): Promise<CommittedDocument> {
  const source = await readDeclarations(join(root, "packages/core"), "src/own");
  const written = providerDocument(source);
  return {
    file: "packages/reference/openapi.json",
    source,
    document: completeDocument(written, ownProblems),
    text: writeDocument(written),
  };
}

/** Creates the document of a package; returns an empty list for a provider without endpoints. */
async function documentsOf(root: string, folder: string): Promise<readonly CommittedDocument[]> {
  const source = await readProviderPackage(join(root, folder));
  if (Object.keys(source.provider.endpoints).length === 0) return [];
  const text = writeDocument(providerDocument(source));
  return [{ file: `${folder}/openapi.json`, source, document: packagedDocument(source), text }];
}

function refuse(fault: string): never {
  throw new TypeError(fault);
}

/** The path of the catalogue from the repository's root. */
export const CATALOGUE_FILE = "docs/catalogue.md";

/** Writes the catalogue of all providers with endpoints. */
export function writeCatalogue(documents: readonly CommittedDocument[]): string {
  return catalogueText(
    catalogueOf(
      documents.map(({ document, source: { provider } }) => ({
        segment: provider.id,
        name: provider.name,
        lines: provider.lines,
        document,
      })),
    ),
  );
}

function isProviderPackage(manifest: string): boolean {
  const { keywords }: { keywords?: unknown } = Object(JSON.parse(manifest));
  return Array.isArray(keywords) && keywords.includes("insurance-gateway-provider");
}
