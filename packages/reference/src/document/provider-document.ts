import { bodyOf, type EndpointKind, type Provider } from "@insurance-gateway/core/contract";
import type { Documentation } from "../documentation/documentation.ts";
import { createComponents } from "./components.ts";
import { headers } from "./headers.ts";
import { contact, security, securitySchemes } from "./imprint.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { tagsByKind } from "./kinds-in-words.ts";
import type { Header, OpenApiDocument, Operation, PathItem, ResponseObject } from "./open-api.ts";
import { operationOf } from "./operation.ts";
import type { NamedExamples } from "./operation-examples.ts";
import { problemSchemas } from "./problem-schema.ts";

/** What a document is made of. */
export interface DocumentSource {
  readonly provider: Provider;
  /** The name and the version of the provider's package. */
  readonly package: { readonly name: string; readonly version: string };
  readonly documentation: Documentation;
  /** The examples of each endpoint, by the endpoint's name. */
  readonly examples: Readonly<Record<string, NamedExamples>>;
}

/** Writes the OpenAPI 3.1 document of a provider, as it is served when its path segment is its id. */
export function providerDocument(source: DocumentSource): OpenApiDocument {
  const { documentation, examples, package: written, provider } = source;
  const components = createComponents(documentation, problemSchemas);
  const responses = new Map<string, ResponseObject>();
  // Requests give the names, whatever order the endpoints stand in; an answer that is less strict gets another.
  for (const [name, endpoint] of Object.entries(provider.endpoints)) {
    const [body, ...others] = Object.values(bodyOf(endpoint)?.media ?? {});
    if (body !== undefined && others.length === 0)
      components.place(
        jsonSchemaOf(body, "request"),
        documentation.endpoints[name]?.parts.body ?? {},
        "request",
      );
  }
  const operations = Object.entries(provider.endpoints).map(([name, endpoint]) => ({
    endpoint,
    operation: operationOf(name, endpoint, examples[name] ?? {}, {
      documentation,
      components,
      collectResponse: (responseName, response) => responses.set(responseName, response),
    }),
  }));
  const kinds = new Set(operations.map(({ endpoint }) => endpoint.kind));
  const paths: Record<string, PathItem> = {};
  for (const { endpoint, operation } of operations) {
    const path = `/${provider.id}${endpoint.path}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: provider.name,
      version: written.version,
      summary: aboutOf(documentation.provider, provider.name),
      description: introduction,
      license: { name: "MIT", identifier: "MIT" },
      contact,
      "x-provider": {
        id: provider.id,
        name: provider.name,
        lines: provider.lines,
        package: written.name,
      },
    },
    servers: [
      {
        url: "https://gateway.example",
        description: "Your gateway in production; a local one is http://127.0.0.1:8080",
        "x-internal": false,
      },
    ],
    security,
    tags: tagsOf(kinds),
    paths: sorted(paths),
    components: {
      securitySchemes,
      headers: usedHeaders([paths, [...responses.values()]]),
      responses: sorted(Object.fromEntries(responses)),
      schemas: components.all(),
    },
  };
}

/** `Provider D: motor insurance.` says `Motor insurance`. */
function aboutOf(text: string, name: string): string {
  const about = text.replace(`${name}: `, "").replace(/\.$/, "");
  return about === "" ? name : about.slice(0, 1).toUpperCase() + about.slice(1);
}

/** The operations of a document with their method and path. */
export function operationsOf(document: OpenApiDocument): readonly {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

const introduction = `Every call carries a bearer token. Every error is a problem (RFC 9457) whose \`outcome\` says
whether the insurer acted and whose \`retry\` says what to do next.

Fields of requests are all checked before anything is sent to the insurer; a field that is not listed is refused. Answers
may have further fields, and lists of values may grow: programs should let them pass.`;

function tagsOf(kinds: ReadonlySet<EndpointKind>): OpenApiDocument["tags"] {
  return Object.entries(tagsByKind).flatMap(([kind, tag]) =>
    [...kinds].some((used) => used === kind) ? [tag] : [],
  );
}

/** The headers that something refers to. */
function usedHeaders(referring: unknown): Readonly<Record<string, Header>> {
  const text = JSON.stringify(referring);
  const used = Object.entries(headers).filter(([name]) =>
    text.includes(`"#/components/headers/${name}"`),
  );
  return Object.fromEntries(used);
}

function sorted<Value>(record: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
