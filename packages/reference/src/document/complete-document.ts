import type { EndpointKind } from "@insurance-gateway/core/runtime";
import { type ProblemsOf, packagedProblems } from "../errors/possible-problems.ts";
import { type CompletionInputs, completeOperation } from "./complete-operation.ts";
import { headers } from "./headers.ts";
import { contact, security, securitySchemes } from "./imprint.ts";
import { completeSchema, type Direction } from "./json-schema.ts";
import { kindsInOrder, tagOf } from "./kinds-in-words.ts";
import type {
  Header,
  JsonSchema,
  OpenApiDocument,
  PathItem,
  ProviderDocument,
  ResponseObject,
} from "./open-api.ts";
import { problemSchemas } from "./problem-schema.ts";
import { type DocumentSource, operationsOf, providerDocument } from "./provider-document.ts";

/**
 * Adds the gateway's part to a provider's own document: problems, headers, limits, the token, and descriptions of
 * these. The result is the provider's OpenAPI 3.1 document, in which the provider's id is the path segment.
 * @param problemsOf - returns the possible problems of an endpoint
 * @throws TypeError if the provider uses a schema name of the gateway for another schema
 */
export function completeDocument(
  document: ProviderDocument,
  problemsOf: ProblemsOf,
): OpenApiDocument {
  const { components, info } = document;
  const schemas = new Map(Object.entries(components.schemas).map(completeComponent));
  const add = (name: string, schema: JsonSchema): void => {
    const known = schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new TypeError(`Two different schemas are called ${name}: give one another name`);
    schemas.set(name, schema);
  };
  for (const [name, schema] of Object.entries(problemSchemas)) add(name, schema);
  const responses = collectResponses();
  const provider = info["x-provider"].id;
  const paths: Record<string, PathItem> = {};
  const kinds = new Set<EndpointKind>();
  for (const { method, operation, path } of operationsOf(document)) {
    kinds.add(operation["x-kind"]);
    const response = responses.of(operation.operationId);
    const completion: CompletionInputs = {
      provider,
      problemsOf,
      collect: { response, schema: add },
    };
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: completeOperation(operation, completion),
    };
  }
  const { "x-failures": _, ...named } = info;
  return {
    openapi: document.openapi,
    info: {
      ...named,
      description: introduction,
      license: { name: "MIT", identifier: "MIT" },
      contact,
    },
    servers: [
      {
        url: "https://gateway.example",
        description: "Your gateway in production; a local one is http://127.0.0.1:8080",
        "x-internal": false,
      },
    ],
    security,
    tags: tagsOf(provider, kinds),
    paths,
    components: {
      securitySchemes,
      headers: usedHeaders([paths, [...responses.all.values()]]),
      responses: sorted(responses.all),
      schemas: sorted(schemas),
    },
  };
}

/**
 * Collects responses by name. Equal responses share a name. If a different response has the name already, the name gets
 * the operation as suffix: `ConflictOfCreateApplication`.
 */
function collectResponses(): {
  readonly all: ReadonlyMap<string, ResponseObject>;
  readonly of: (operationId: string) => CompletionInputs["collect"]["response"];
} {
  const all = new Map<string, ResponseObject>();
  const names = new Map<string, string>();
  return {
    all,
    of: (operationId) => (words, response) => {
      const content = `${words} ${JSON.stringify(response)}`;
      const suffix = operationId.charAt(0).toUpperCase() + operationId.slice(1);
      const name = names.get(content) ?? (all.has(words) ? `${words}Of${suffix}` : words);
      names.set(content, name);
      all.set(name, response);
      return name;
    },
  };
}

/**
 * Writes the document of a package in the form in which a gateway with the package's own adapter serves the document.
 */
export function packagedDocument(source: DocumentSource): OpenApiDocument {
  return completeDocument(providerDocument(source), packagedProblems(source));
}

/** Completes a named schema. A schema that requests and answers share is completed as part of an answer. */
function completeComponent([name, schema]: readonly [string, JsonSchema]): [string, JsonSchema] {
  const { "x-direction": given, ...rest } = schema;
  const direction: Direction = given === "request" ? "request" : "answer";
  return [name, completeSchema(rest, direction)];
}

const introduction = `Every call needs a bearer token. Every error is a problem (RFC 9457) whose \`outcome\` says
whether the insurer acted and whose \`retry\` says what to do next.

The gateway checks all fields of a request before it sends anything to the insurer, and refuses a field that is not listed.
Answers may have more fields, and lists of values may get new ones: programs should ignore what they do not know.`;

function tagsOf(provider: string, kinds: ReadonlySet<EndpointKind>): OpenApiDocument["tags"] {
  const used = kindsInOrder.filter((kind) => kinds.has(kind)).map((kind) => tagOf(provider, kind));
  return [...new Set(used)];
}

/** Returns the named headers to which a part of the document refers. */
function usedHeaders(referring: unknown): Readonly<Record<string, Header>> {
  const text = JSON.stringify(referring);
  const used = Object.entries(headers).filter(([name]) =>
    text.includes(`"#/components/headers/${name}"`),
  );
  return Object.fromEntries(used);
}

function sorted<Value>(entries: ReadonlyMap<string, Value>): Readonly<Record<string, Value>> {
  return Object.fromEntries([...entries].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
