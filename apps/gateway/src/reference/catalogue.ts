import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "@insurance-gateway/core/contract";
import {
  completeDocument,
  noDocumentation,
  operationsOf,
  type ProviderDocument,
  type ProviderOnPage,
  providerDocument,
} from "@insurance-gateway/reference";
import type { InstalledProvider } from "../configuration/providers.ts";

/** The providers of the reference: those that are served, and those that have their place and no endpoint yet. */
export function catalogueOf(
  installed: readonly InstalledProvider[],
  undeclared: readonly Provider[],
): readonly ProviderOnPage[] {
  const served = installed.map((provider) => servedProvider(provider));
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

function servedProvider({
  folder,
  provider,
  segment,
  settings,
}: InstalledProvider): ProviderOnPage {
  const { id, lines, name } = provider;
  const changelog = join(folder, "CHANGELOG.md");
  return {
    id,
    segment,
    name,
    lines,
    document: completeDocument(
      readDocument(join(folder, "dist/reference/openapi.json"), provider) ??
        undescribed(provider, settings.package),
    ),
    changelog: existsSync(changelog) ? readFileSync(changelog, "utf8") : null,
  };
}

/** The document that the package's build wrote; null where there is none, or where it is of other declarations than are served. */
function readDocument(file: string, { endpoints, id }: Provider): ProviderDocument | null {
  if (!existsSync(file)) return null;
  // The package's own build wrote it, in this form.
  const document = JSON.parse(readFileSync(file, "utf8")) as ProviderDocument;
  const written = operationsOf(document).map(
    ({ method, operation, path }) => `${operation.operationId} ${method} ${path}`,
  );
  const declared = Object.entries(endpoints).map(
    ([name, { method, path }]) => `${name} ${method} /${id}${path}`,
  );
  return written.toSorted().join() === declared.toSorted().join() ? document : null;
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
