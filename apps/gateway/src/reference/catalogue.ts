import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "@insurance-gateway/core/contract";
import {
  collectionNames,
  noDocumentation,
  type OpenApiDocument,
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
    .filter(({ id }) => !served.some((provider) => provider.segment === id))
    .map(({ id, lines, name }) => ({
      id,
      segment: id,
      name,
      lines,
      document: null,
      changelog: null,
      collections: {},
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
  const derived = join(folder, "dist/reference");
  const changelog = join(folder, "CHANGELOG.md");
  return {
    id,
    segment,
    name,
    lines,
    document:
      readDocument(join(derived, "openapi.json")) ?? undescribed(provider, settings.package),
    changelog: existsSync(changelog) ? readFileSync(changelog, "utf8") : null,
    collections: readCollections(derived),
  };
}

function readCollections(folder: string): ProviderOnPage["collections"] {
  const files = Object.values(collectionNames)
    .filter((name) => existsSync(join(folder, name)))
    .map((name) => [name, readFileSync(join(folder, name))] as const);
  return Object.fromEntries(files);
}

function readDocument(file: string): OpenApiDocument | null {
  // The package's own build wrote it.
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as OpenApiDocument) : null;
}

/** A package that was built without its reference: its routes and schemas are known, its comments are not. */
function undescribed(provider: Provider, name: string): OpenApiDocument {
  return providerDocument({
    provider,
    package: { name, version: "0.0.0" },
    documentation: noDocumentation,
    examples: {},
  });
}
