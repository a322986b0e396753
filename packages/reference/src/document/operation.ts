import {
  check,
  type Endpoint,
  type Example,
  kindPolicies,
  type Schema,
} from "@insurance-gateway/core/contract";
import {
  type Documentation,
  type EndpointPart,
  summaryOf,
  type TypeReference,
} from "../documentation/documentation.ts";
import type { Components } from "./components.ts";
import { successHeaders } from "./headers.ts";
import { type Direction, jsonSchemaOf } from "./json-schema.ts";
import { tagsByKind } from "./kinds-in-words.ts";
import type {
  ExampleObject,
  JsonSchema,
  Operation,
  Parameter,
  ResponseObject,
} from "./open-api.ts";
import { problemResponses } from "./problem-responses.ts";

/** The examples of one endpoint, by name, whatever its types. */
export type NamedExamples = Readonly<Record<string, Example<Endpoint>>>;

/** What operations of one document share. */
export interface OperationParts {
  readonly documentation: Documentation;
  readonly components: Components;
  readonly collectResponse: (name: string, response: ResponseObject) => void;
}

/** Writes one endpoint as an operation. */
export function operationOf(
  name: string,
  endpoint: Endpoint,
  examples: NamedExamples,
  parts: OperationParts,
): Operation {
  const { parts: types = {}, text = "" } = parts.documentation.endpoints[name] ?? {};
  const place = (schema: Schema<unknown>, part: EndpointPart, direction: Direction): JsonSchema =>
    parts.components.place(jsonSchemaOf(schema, direction), types[part] ?? {}, direction);
  const parameters = [
    ...parametersOf("path", endpoint.params, types.params, examples, parts),
    ...parametersOf("query", endpoint.query, types.query, examples, parts),
    ...(endpoint.kind === "submission" ? [idempotencyKey] : []),
  ];
  return {
    operationId: name,
    tags: [tagsByKind[endpoint.kind].name],
    summary: text === "" ? name : summaryOf(text),
    description: descriptionOf(text, endpoint),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: place(endpoint.body, "body", "request"),
                examples: examplesOf(examples, ({ request }) => Reflect.get(request, "body")),
              },
            },
          },
        }),
    responses: {
      ...successes(endpoint, examples, (schema) => place(schema, "response", "answer")),
      ...problemResponses(endpoint, parts.collectResponse),
    },
    "x-kind": endpoint.kind,
    "x-acts-at-insurer": kindPolicies[endpoint.kind].actsAtInsurer,
  };
}

/** What the summary has not said yet, and what the kind means. */
function descriptionOf(text: string, { kind }: Endpoint): string {
  const more = text.slice(summaryOf(text).length).replace(/^\.?\s*/, "");
  return [more, tagsByKind[kind].description].filter((part) => part !== "").join("\n\n");
}

/** Sent by our clients with every submission. It has no example: one that everybody copies would replay somebody's answer. */
const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Names this submission, so that it can be sent again without being carried out again: a UUID, made once for each application. Without one, an application that is lost cannot be asked for by its key.",
  required: false,
  schema: { type: "string", maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
};

function parametersOf(
  place: "path" | "query",
  schema: Schema<unknown> | undefined,
  type: TypeReference | undefined,
  examples: NamedExamples,
  { documentation }: OperationParts,
): readonly Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema, "request");
  const documented = documentation.types[type?.name ?? ""]?.properties ?? {};
  const part = place === "path" ? "params" : "query";
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    ...(documented[name]?.text ? { description: documented[name].text } : {}),
    required: required.includes(name),
    schema: property,
    examples: examplesOf(examples, ({ request }) =>
      Reflect.get(Object(Reflect.get(request, part)), name),
    ),
  }));
}

function successes(
  endpoint: Endpoint,
  examples: NamedExamples,
  place: (schema: Schema<unknown>) => JsonSchema,
): Readonly<Record<string, ResponseObject>> {
  const headers = successHeaders(endpoint);
  if (endpoint.file !== undefined)
    return {
      200: {
        description: "The file.",
        headers,
        content: {
          [endpoint.file.mediaType]: { schema: { contentMediaType: endpoint.file.mediaType } },
        },
      },
    };
  return Object.fromEntries(
    Object.entries(endpoint.response).map(([status, schema]) => [
      status,
      {
        description: successText[endpoint.kind],
        headers,
        content: {
          "application/json": {
            schema: place(schema),
            // An example belongs to the status whose schema it fits.
            examples: examplesOf(examples, ({ response }) =>
              check(schema, response).valid ? response : undefined,
            ),
          },
        },
      },
    ]),
  );
}

const successText: Readonly<Record<Endpoint["kind"], string>> = {
  lookup: "The list.",
  read: "What was asked for.",
  search: "One page, newest first; nothing found is an empty one.",
  document: "The file.",
  quote: "The calculation.",
  submission:
    "The insurer acted, and this is its answer. A decline is an answer, too: look at its status.",
};

function examplesOf(
  examples: NamedExamples,
  value: (example: Example<Endpoint>) => unknown,
): Readonly<Record<string, ExampleObject>> {
  const entries = Object.entries(examples).flatMap(([name, example]) => {
    const shown = value(example);
    return shown === undefined ? [] : [[name, { summary: example.summary, value: shown }] as const];
  });
  return Object.fromEntries(entries);
}
