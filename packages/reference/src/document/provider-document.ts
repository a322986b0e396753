import type { Endpoint, FailureRow, Provider } from "@insurance-gateway/core/contract";
import { bodyOf } from "@insurance-gateway/core/runtime";
import type { Documentation } from "../documentation/documentation.ts";
import { createComponents } from "./components.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import type {
  OpenApiDocument,
  Operation,
  ProviderDocument,
  ProviderOperation,
  Verification,
} from "./open-api.ts";
import type { NamedExamples } from "./operation-examples.ts";
import { problemSchemas } from "./problem-schema.ts";
import { providerOperation } from "./provider-operation.ts";

/** The input from which a provider's document is written. */
export interface DocumentSource {
  readonly provider: Provider;
  /** The name and the version of the provider's package. */
  readonly package: { readonly name: string; readonly version: string };
  readonly documentation: Documentation;
  /** The examples of each endpoint, by endpoint name. */
  readonly examples: Readonly<Record<string, NamedExamples>>;
  /** The rules by which the package's own adapter recognises failures (rows of `failures`). */
  readonly adapterFailures?: readonly FailureRow[];
  /** The endpoints that were called at the insurer, by name. */
  readonly verified?: Readonly<Record<string, Verification>>;
}

/**
 * Writes the provider's own part of the contract.
 * @throws TypeError if a schema cannot be written; the message names the endpoint and the place
 */
export function providerDocument(source: DocumentSource): ProviderDocument {
  const { documentation, examples, package: written, provider, verified = {} } = source;
  const failures = [...(provider.failures ?? []), ...(source.adapterFailures ?? [])];
  const components = createComponents(documentation, problemSchemas);
  // Schemas of requests get their names before schemas of answers: an answer with fewer rules gets another name.
  for (const [name, endpoint] of Object.entries(provider.endpoints)) {
    const [body, ...others] = Object.values(bodyOf(endpoint)?.media ?? {});
    if (body !== undefined && others.length === 0)
      located(name, endpoint, () =>
        components.place(
          jsonSchemaOf(body, documentation.schemas),
          documentation.endpoints[name]?.parts.body ?? {},
          "request",
        ),
      );
  }
  const paths: Record<string, ProviderDocument["paths"][string]> = {};
  for (const [name, endpoint] of Object.entries(provider.endpoints)) {
    const path = segmentPath(provider.id) + endpoint.path;
    const parts = { documentation, components };
    const operation = {
      ...located(name, endpoint, () =>
        providerOperation(name, endpoint, examples[name] ?? {}, parts),
      ),
      ...(verified[name] === undefined ? {} : { "x-verified": verified[name] }),
    };
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: provider.name,
      version: written.version,
      summary: aboutOf(documentation.provider, provider.name),
      "x-provider": {
        id: provider.id,
        name: provider.name,
        lines: provider.lines,
        package: written.name,
      },
      ...(failures.length === 0 ? {} : { "x-failures": failures }),
    },
    paths: Object.fromEntries(
      Object.entries(paths).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ),
    components: { schemas: components.all() },
  };
}

/** Returns the path of a provider's segment; "" for the gateway itself, which has no segment. */
export function segmentPath(segment: string): string {
  return segment === "" ? "" : `/${segment}`;
}

/** Calls a function. If the function throws, adds the endpoint to the message of the error. */
function located<Result>(name: string, { method, path }: Endpoint, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TypeError(`${name} (${method} ${path}): ${reason}`, { cause: error });
  }
}

/** Removes the provider's name: `Provider D: motor insurance.` → `Motor insurance`. */
function aboutOf(text: string, name: string): string {
  const about = text.replace(`${name}: `, "").replace(/\.$/, "");
  return about === "" ? name : about.slice(0, 1).toUpperCase() + about.slice(1);
}

/** An operation with its method and path. */
export interface Placed<Described> {
  readonly method: string;
  readonly path: string;
  readonly operation: Described;
}

/** Returns the operations of a document with their methods and paths. */
export function operationsOf(document: ProviderDocument): readonly Placed<ProviderOperation>[];
export function operationsOf(document: OpenApiDocument): readonly Placed<Operation>[];
export function operationsOf({
  paths,
}: {
  readonly paths: Readonly<Record<string, object>>;
}): readonly Placed<unknown>[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}
