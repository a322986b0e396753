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

/** Called for a provider whose own document cannot be used. */
type Report = (provider: Pick<Provider, "id">, error: unknown) => void;

/**
 * The providers of the reference: those that are served, and those without an endpoint yet. A provider whose package has
 * no document of its declarations appears without its comments; one that cannot be described, without endpoints.
 */
export function catalogueOf(
  installed: readonly InstalledProvider[],
  undeclared: readonly Provider[],
  report: Report,
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

function servedProvider(installed: InstalledProvider, report: Report): ProviderOnPage {
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

/** Whatever is wrong with one provider's document, the others have theirs. */
function documentOf(installed: InstalledProvider, report: Report): ProviderOnPage["document"] {
  const { adapter, folder, provider, settings } = installed;
  const problems = problemsOf(provider, {
    failuresOf: (endpoint) => failureRowsOf(installed, endpoint),
    translates: adapter.name !== declared.name,
  });
  const sources = [
    () => readDocument(join(folder, "dist/reference/openapi.json"), provider),
    () => undescribed(provider, settings.package),
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
 * Reads the document that the package's build wrote.
 * @throws Error where there is none, or where it is of other declarations than are served
 */
function readDocument(file: string, { endpoints, id }: Provider): ProviderDocument {
  // The package's own build wrote it, in this form.
  const document = JSON.parse(readFileSync(file, "utf8")) as ProviderDocument;
  const written = operationsOf(document).map(
    ({ method, operation, path }) => `${operation.operationId} ${method} ${path}`,
  );
  const declared = Object.entries(endpoints).map(
    ([name, { method, path }]) => `${name} ${method} /${id}${path}`,
  );
  if (written.toSorted().join() !== declared.toSorted().join())
    throw new TypeError(`${file} is of other declarations than are served`);
  return document;
}

/** A package that was built without its reference: its routes and schemas are known, its comments are not. */
function undescribed(provider: Provider, name: string): ProviderDocument {
  return providerDocument({
    provider,
    package: { name, version: "0.0.0" },
    documentation: noDocumentation,
    examples: {},
  });
}
