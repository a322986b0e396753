import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { declared } from "@insurance-gateway/adapter";
import type { Provider } from "@insurance-gateway/core/contract";
import {
  completeDocument,
  noDocumentation,
  operationsOf,
  type ProviderDocument,
  type ProviderOnPage,
  problemsOf,
  providerDocument,
} from "@insurance-gateway/reference";
import type { InstalledProvider } from "../configuration/providers.ts";
import { failureRowsOf } from "../insurers/failure-rows.ts";

export { type EndpointReference, readReference, referenceOf } from "./endpoint-reference.ts";

/** Called with the error if a provider's OpenAPI document cannot be used. */
type ReportDocumentFault = (provider: Pick<Provider, "id">, error: unknown) => void;

/**
 * Returns the providers that the reference shows: the served providers, and the providers without an endpoint. A
 * provider has no descriptions if its package has no document, and no endpoints if the document cannot be created.
 */
export function catalogueOf(
  installed: readonly InstalledProvider[],
  undeclared: readonly Provider[],
  report: ReportDocumentFault,
): readonly ProviderOnPage[] {
  const served = installed.map((provider) => servedProvider(provider, report));
  const empty = undeclared
    .filter(({ id }) => !served.some((provider) => provider.id === id || provider.segment === id))
    .map(({ id, lines, name }) => ({
      id,
      segment: id,
      name,
      lines,
      document: null,
      changelog: null,
    }));
  return [...served, ...empty].toSorted((one, other) => one.name.localeCompare(other.name));
}

function servedProvider(installed: InstalledProvider, report: ReportDocumentFault): ProviderOnPage {
  const { folder, provider, segment } = installed;
  const { id, lines, name } = provider;
  const changelog = join(folder, "CHANGELOG.md");
  return {
    id,
    segment,
    name,
    lines,
    document: documentOf(installed, report),
    changelog: existsSync(changelog) ? readFileSync(changelog, "utf8") : null,
  };
}

/**
 * Returns the provider's document; null if the document cannot be created: the fault then affects only this provider.
 */
function documentOf(
  installed: InstalledProvider,
  report: ReportDocumentFault,
): ProviderOnPage["document"] {
  const { adapter, folder, provider, settings } = installed;
  const problems = problemsOf(provider, {
    failuresOf: (endpoint) => failureRowsOf(installed, endpoint),
    translates: adapter.name !== declared.name,
  });
  const sources = [
    () => readDocument(join(folder, "dist/reference/openapi.json"), provider),
    () => documentFromDeclarations(provider, settings.package),
  ];
  for (const source of sources)
    try {
      return completeDocument(source(), problems);
    } catch (error) {
      report(provider, error);
    }
  return null;
}

/**
 * Reads the OpenAPI document that the build of a provider's package wrote.
 * @throws Error if the package has no document, or if the document and the served endpoints differ
 */
function readDocument(file: string, { endpoints, id }: Provider): ProviderDocument {
  // The file has the right form, because the package's build wrote it.
  const document = JSON.parse(readFileSync(file, "utf8")) as ProviderDocument;
  const written = operationsOf(document).map(
    ({ method, operation, path }) => `${operation.operationId} ${method} ${path}`,
  );
  const declared = Object.entries(endpoints).map(
    ([name, { method, path }]) => `${name} ${method} /${id}${path}`,
  );
  if (written.toSorted().join() !== declared.toSorted().join())
    throw new TypeError(`${file} does not match the served endpoints`);
  return document;
}

/** Creates a document without descriptions from the provider's declarations, for a package without a document. */
function documentFromDeclarations(provider: Provider, name: string): ProviderDocument {
  return providerDocument({
    provider,
    package: { name, version: "0.0.0" },
    documentation: noDocumentation,
    examples: {},
  });
}
