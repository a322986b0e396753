import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { completeDocument } from "../document/complete-document.ts";
import type { OpenApiDocument, Parameter, ProviderDocument } from "../document/open-api.ts";
import { operationsOf } from "../document/provider-document.ts";
import type { DescribedProvider, ProviderOnPage } from "../site/source.ts";
import { ownProblems } from "./own-problems.ts";

/**
 * Describes the gateway's own endpoints like the endpoints of a provider with an empty id and segment.
 * @param providers - the gateway's providers; the examples name one of these providers
 * @param options - `hasSandbox` is true if an insurer is simulated; otherwise the gateway has no list of scenarios
 */
export function gatewayItself(
  providers: readonly ProviderOnPage[],
  { hasSandbox }: { readonly hasSandbox: boolean },
): DescribedProvider {
  const file = createRequire(import.meta.url).resolve("@insurance-gateway/reference/openapi.json");
  // `npm run openapi` writes this file.
  const written = JSON.parse(readFileSync(file, "utf8")) as ProviderDocument;
  const document = withSubmission(
    completeDocument(hasSandbox ? written : withoutScenarios(written), ownProblems),
    exampleSubmissionParameters(providers),
  );
  const { id, lines, name } = document.info["x-provider"];
  return { id, segment: "", name, lines, document, changelog: null };
}

function withoutScenarios(document: ProviderDocument): ProviderDocument {
  const paths = Object.fromEntries(
    Object.entries(document.paths).filter(([, { get }]) => get?.operationId !== "listScenarios"),
  );
  const { schemas } = document.components;
  const used = usedSchemas(paths, schemas);
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  return { ...document, paths, components: { schemas: Object.fromEntries(kept) } };
}

/** Returns the names of the schemas to which a value refers, directly or through other schemas. */
function usedSchemas(
  value: unknown,
  schemas: ProviderDocument["components"]["schemas"],
  used: Set<string> = new Set(),
): ReadonlySet<string> {
  const references = JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  for (const [, name = ""] of references) {
    if (used.has(name)) continue;
    used.add(name);
    usedSchemas(schemas[name] ?? {}, schemas, used);
  }
  return used;
}

/** Returns example values for the parameters that select one endpoint of the kind submission. */
function exampleSubmissionParameters(
  providers: readonly ProviderOnPage[],
): Readonly<Record<string, string>> {
  const [first] = providers.flatMap(({ document, segment }) =>
    (document === null ? [] : operationsOf(document))
      .filter(({ operation }) => operation["x-acts-at-insurer"])
      .map(({ operation }) => ({ segment, endpoint: operation.operationId })),
  );
  return first ?? {};
}

function withSubmission(
  document: OpenApiDocument,
  values: Readonly<Record<string, string>>,
): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, { get }]) => [
    path,
    get && {
      get: {
        ...get,
        ...(get.parameters && {
          parameters: get.parameters.map((parameter) => withExample(parameter, values)),
        }),
      },
    },
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

function withExample(parameter: Parameter, values: Readonly<Record<string, string>>): Parameter {
  const value = values[parameter.name];
  if (value === undefined) return parameter;
  const examples = Object.entries(parameter.examples ?? {}).map(([name, example]) => [
    name,
    { ...example, value },
  ]);
  return { ...parameter, examples: Object.fromEntries(examples) };
}
