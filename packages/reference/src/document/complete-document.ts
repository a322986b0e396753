import type { EndpointKind } from "@insurance-gateway/core/runtime";
import { type Completion, completeOperation } from "./complete-operation.ts";
import { headers } from "./headers.ts";
import { contact, security, securitySchemes } from "./imprint.ts";
import { completeSchema, type Direction } from "./json-schema.ts";
import { tagsByKind } from "./kinds-in-words.ts";
import type {
  Header,
  JsonSchema,
  OpenApiDocument,
  PathItem,
  ProviderDocument,
  ResponseObject,
} from "./open-api.ts";
import { problemSchemas } from "./problem-schema.ts";
import { operationsOf } from "./provider-document.ts";

/**
 * Adds to a provider's own document what is the gateway's: problems, headers, limits, the token and the words about
 * them. The result is the OpenAPI 3.1 document of the provider as it is served when its path segment is its id.
 * @throws TypeError if the provider uses a schema name of the gateway for another schema
 */
export function completeDocument(document: ProviderDocument): OpenApiDocument {
  const { components, info } = document;
  const responses = new Map<string, ResponseObject>();
  const schemas = new Map(Object.entries(components.schemas).map(completeComponent));
  const add = (name: string, schema: JsonSchema): void => {
    const known = schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new TypeError(`Two different schemas are called ${name}: give one another name`);
    schemas.set(name, schema);
  };
  for (const [name, schema] of Object.entries(problemSchemas)) add(name, schema);
  const completion: Completion = {
    provider: info["x-provider"].id,
    collect: { response: (name, response) => responses.set(name, response), schema: add },
  };
  const paths: Record<string, PathItem> = {};
  const kinds = new Set<EndpointKind>();
  for (const { method, operation, path } of operationsOf(document)) {
    kinds.add(operation["x-kind"]);
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: completeOperation(operation, completion),
    };
  }
  const { "x-failures": _, "x-provider": provider, ...named } = info;
  return {
    openapi: document.openapi,
    info: {
      ...named,
      description: introduction,
      license: { name: "MIT", identifier: "MIT" },
      contact,
      "x-provider": provider,
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
    paths,
    components: {
      securitySchemes,
      headers: usedHeaders([paths, [...responses.values()]]),
      responses: sorted(responses),
      schemas: sorted(schemas),
    },
  };
}

/** A component that requests and answers share is completed as one of an answer. */
function completeComponent([name, schema]: readonly [string, JsonSchema]): [string, JsonSchema] {
  const { "x-direction": given, ...rest } = schema;
  const direction: Direction = given === "request" ? "request" : "answer";
  return [name, completeSchema(rest, direction)];
}

const introduction = `Every call needs a bearer token. Every error is a problem (RFC 9457) whose \`outcome\` says
whether the insurer acted and whose \`retry\` says what to do next.

The gateway checks all fields of a request before it sends anything to the insurer, and refuses a field that is not listed.
Answers may have more fields, and lists of values may get new ones: programs should ignore what they do not know.`;

function tagsOf(kinds: ReadonlySet<EndpointKind>): OpenApiDocument["tags"] {
  return Object.entries(tagsByKind).flatMap(([kind, tag]) =>
    [...kinds].some((used) => used === kind) ? [tag] : [],
  );
}

/** The referenced headers. */
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
