import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Adapter } from "@insurance-gateway/adapter";
import type { FailureRow, Provider } from "@insurance-gateway/core/contract";
import { contractVersion, isProvider, providerFaults } from "@insurance-gateway/core/runtime";
import type { Verification } from "../document/open-api.ts";
import type { NamedExamples } from "../document/operation-examples.ts";
import type { DocumentSource } from "../document/provider-document.ts";
import { type Documentation, noDocumentation } from "../documentation/documentation.ts";
import { readPackageTypes } from "../documentation/package-types.ts";
import { readDocumentation } from "../documentation/read-documentation.ts";
import { typeFaults } from "../documentation/type-faults.ts";
import { patternFaults } from "../patterns/index.ts";

/**
 * Reads the content of a provider's document from the sources of its package.
 * @param folder - the package's folder
 * @throws TypeError if the package has no provider or an invalid `verified.json`, if the provider has another contract
 * version or faults, or if a type differs from its schema
 */
export async function readProviderPackage(folder: string): Promise<DocumentSource> {
  const declarations = await readDeclarations(folder);
  const names = Object.keys(declarations.provider.endpoints);
  return { ...declarations, verified: readVerified(folder, names) };
}

/**
 * Reads the declarations of a provider package, but not `verified.json`, which may contain records of removed
 * endpoints.
 * @param folder - the package's folder
 * @param sources - the folder of its sources
 * @throws TypeError in the same cases as `readProviderPackage`
 */
export async function readDeclarations(
  folder: string,
  sources = "src",
): Promise<Omit<DocumentSource, "verified">> {
  const provider = await loadProvider(join(folder, sources));
  return {
    provider,
    package: manifestOf(folder),
    examples: await loadExamples(join(folder, sources)),
    adapterFailures: await loadAdapterFailures(join(folder, sources)),
    documentation: await documentationOf(provider, folder, sources),
  };
}

async function documentationOf(
  { endpoints, id }: Provider,
  folder: string,
  sources: string,
): Promise<Documentation> {
  const names = Object.keys(endpoints);
  if (names.length === 0) return noDocumentation;
  const types = readPackageTypes(folder, sources);
  const faults = typeFaults(types, endpoints);
  if (faults.length > 0)
    throw new TypeError(
      `The types and the schemas of ${id} differ, so that valid requests or answers would be refused:\n- ${faults.join("\n- ")}`,
    );
  return readDocumentation(types, names);
}

async function loadProvider(sources: string): Promise<Provider> {
  const file = join(sources, "index.ts");
  const module: object = await import(pathToFileURL(file).href);
  const provider = Object.values(module).find(isProvider);
  if (provider === undefined) throw new TypeError(`${file} exports no provider`);
  if (provider.contract !== contractVersion)
    throw new TypeError(`${file} has a different contract version: install versions that match`);
  // The reserved segments do not apply to the gateway's own endpoints.
  const isOwn = provider.id === "";
  const faults = [...(isOwn ? [] : providerFaults(provider)), ...patternFaults(provider)];
  if (faults.length > 0)
    throw new TypeError(`${file} declares what cannot be served:\n- ${faults.join("\n- ")}`);
  return provider;
}

async function loadExamples(sources: string): Promise<Readonly<Record<string, NamedExamples>>> {
  const file = join(sources, "examples/index.ts");
  if (!existsSync(file)) return {};
  // The type `Examples<typeof endpoint>` checks each export where it is declared.
  return (await import(pathToFileURL(file).href)) as Readonly<Record<string, NamedExamples>>;
}

/** Returns the rules by which the package's adapter recognises failures; an empty list without an adapter. */
async function loadAdapterFailures(sources: string): Promise<readonly FailureRow[]> {
  const file = join(sources, "adapter.ts");
  if (!existsSync(file)) return [];
  const module: object = await import(pathToFileURL(file).href);
  return Object.values(module).find(isAdapter)?.failures ?? [];
}

function isAdapter(value: unknown): value is Adapter {
  return typeof value === "object" && value !== null && "failures" in value && "call" in value;
}

function manifestOf(folder: string): { readonly name: string; readonly version: string } {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { name, version }: { name?: unknown; version?: unknown } = Object(manifest);
  if (typeof name !== "string" || typeof version !== "string")
    throw new TypeError(`${folder}/package.json has no name or no version`);
  return { name, version };
}

/**
 * Reads `verified.json`, in which an author records when endpoints were called at the insurer: `{ "listBrands": {
 * "date": "2026-11-23", "environment": "test" } }`. Without the file there are no records.
 * @throws TypeError for a name that is not an endpoint of the package, or for an invalid record
 */
export function readVerified(
  folder: string,
  endpoints: readonly string[],
): Readonly<Record<string, Verification>> {
  const file = join(folder, "verified.json");
  if (!existsSync(file)) return {};
  const records: readonly (readonly [string, unknown])[] = Object.entries(
    Object(JSON.parse(readFileSync(file, "utf8"))),
  );
  return Object.fromEntries(
    records.map(([name, record]) => {
      if (!endpoints.includes(name))
        throw new TypeError(`${file} names ${name}, which is not an endpoint of the package`);
      if (!isVerification(record))
        throw new TypeError(
          `${file}: ${name} must have a \`date\` such as "2026-11-23" and an \`environment\`, "production" or "test", and nothing else`,
        );
      return [name, record];
    }),
  );
}

function isVerification(record: unknown): record is Verification {
  const { date, environment, ...others }: { date?: unknown; environment?: unknown } =
    Object(record);
  return (
    typeof date === "string" &&
    /^\d{4}-\d{2}-\d{2}$/.test(date) &&
    !Number.isNaN(Date.parse(date)) &&
    (environment === "production" || environment === "test") &&
    Object.keys(others).length === 0
  );
}
