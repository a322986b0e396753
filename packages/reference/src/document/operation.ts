import {
  answersOf,
  bodyOf,
  check,
  type Endpoint,
  kindPolicies,
  type ParameterForm,
  pagingInWords,
  pagingOf,
  parameterForms,
  type Schema,
} from "@insurance-gateway/core/contract";
import {
  type Documentation,
  type EndpointPart,
  summaryOf,
  type TypeReference,
} from "../documentation/documentation.ts";
import type { Components } from "./components.ts";
import { pagingHeaders, successHeaders } from "./headers.ts";
import { type Direction, jsonSchemaOf } from "./json-schema.ts";
import { tagsByKind } from "./kinds-in-words.ts";
import type { Header, JsonSchema, Operation, Parameter, ResponseObject } from "./open-api.ts";
import { examplesOf, type NamedExamples } from "./operation-examples.ts";
import { problemResponses } from "./problem-responses.ts";
import { requestBodyOf } from "./request-body.ts";

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
    ...parametersOf("header", endpoint.headers, types.headers, examples, parts),
    ...(endpoint.kind === "submission" ? [idempotencyKey] : []),
  ];
  const isOneType = Object.keys(bodyOf(endpoint)?.media ?? {}).length === 1;
  const requestBody = requestBodyOf(endpoint, examples, (schema) =>
    // The written type of a body is that of its only schema, or of all of them together.
    isOneType
      ? place(schema, "body", "request")
      : parts.components.place(jsonSchemaOf(schema, "request"), {}, "request"),
  );
  return {
    operationId: name,
    tags: [tagsByKind[endpoint.kind].name],
    summary: text === "" ? name : summaryOf(text),
    description: descriptionOf(text, endpoint),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      ...successes(endpoint, examples, (schema, status) =>
        place(
          schema,
          types[`response ${status}`] === undefined ? "response" : `response ${status}`,
          "answer",
        ),
      ),
      ...problemResponses(endpoint, parts.collectResponse),
    },
    "x-kind": endpoint.kind,
    "x-acts-at-insurer": kindPolicies[endpoint.kind].actsAtInsurer,
    ...(endpoint.kind === "search" ? { "x-paging": pagingOf(endpoint) } : {}),
  };
}

/** What the summary has not said yet, and what the kind means. */
function descriptionOf(text: string, { kind, paging }: Endpoint): string {
  const more = text.slice(summaryOf(text).length).replace(/^\.?\s*/, "");
  const meaning =
    paging === undefined
      ? tagsByKind[kind].description
      : `A paged list, newest first. ${pagingInWords(paging)}`;
  return [more, meaning].filter((part) => part !== "").join("\n\n");
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
  place: Parameter["in"],
  schema: Schema<unknown> | undefined,
  type: TypeReference | undefined,
  examples: NamedExamples,
  { documentation }: OperationParts,
): readonly Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema, "request");
  const documented = documentation.types[type?.name ?? ""]?.properties ?? {};
  const part = partsOfPlaces[place];
  const forms = parameterForms(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    ...(documented[name]?.text ? { description: documented[name].text } : {}),
    required: required.includes(name),
    ...(place === "query" ? writtenAs(forms[name]) : {}),
    schema: withoutStyle(property),
    examples: examplesOf(examples, ({ request }) =>
      Reflect.get(Object(Reflect.get(request, part)), name),
    ),
  }));
}

/** Which part of an input a parameter's place is. */
const partsOfPlaces = { path: "params", query: "query", header: "headers" } as const;

/** A parameter's schema without what its `style` says. */
function withoutStyle(property: JsonSchema): JsonSchema {
  const { "x-joined": _, ...schema } = property;
  return schema;
}

/** How a query writes a list or an object (OpenAPI 3.1, "Style Values"). */
function writtenAs(form: ParameterForm | undefined): Pick<Parameter, "style" | "explode"> {
  if (form?.style === "repeated") return { style: "form", explode: true };
  if (form?.style === "joined") return { style: "form", explode: false };
  return form?.style === "object" ? { style: "deepObject", explode: true } : {};
}

function successes(
  endpoint: Endpoint,
  examples: NamedExamples,
  place: (schema: Schema<unknown>, status: number) => JsonSchema,
): Readonly<Record<string, ResponseObject>> {
  const headers = { ...successHeaders(endpoint), ...pagingHeaders(endpoint) };
  if (endpoint.files !== undefined)
    return {
      200: {
        description: "The file.",
        headers,
        content: Object.fromEntries(
          endpoint.files.map(({ mediaType }) => [
            mediaType,
            { schema: { contentMediaType: mediaType } },
          ]),
        ),
      },
    };
  return Object.fromEntries(
    answersOf(endpoint).map(([status, { headers: declared, media }]) => [
      status,
      {
        description: descriptionOfSuccess(endpoint, status),
        headers: { ...headers, ...declaredHeaders(declared) },
        ...(Object.keys(media).length === 0
          ? {}
          : {
              content: Object.fromEntries(
                Object.entries(media).map(([mediaType, schema]) => [
                  mediaType,
                  {
                    schema: place(schema, status),
                    // An example belongs to the status whose schema it fits.
                    examples: examplesOf(examples, ({ response }) =>
                      check(schema, response).valid ? response : undefined,
                    ),
                  },
                ]),
              ),
            }),
      },
    ]),
  );
}

/** The insurer's headers that pass to the caller. */
function declaredHeaders(schema: Schema<unknown> | undefined): Readonly<Record<string, Header>> {
  if (schema === undefined) return {};
  const { properties = {} } = jsonSchemaOf(schema, "answer");
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { description: property.description ?? "The insurer's.", schema: withoutStyle(property) },
    ]),
  );
}

/** What a status means: where there are several, what tells one from the others. */
function descriptionOfSuccess(endpoint: Endpoint, status: number): string {
  const text = successText[endpoint.kind];
  if (answersOf(endpoint).length === 1) return text;
  return `${statusTexts[status] ?? `Status ${status}.`} ${text}`;
}

const statusTexts: Readonly<Record<number, string>> = {
  200: "Done.",
  201: "Created.",
  202: "Accepted: the insurer has not finished with it.",
  204: "Done, with nothing to tell.",
};

const successText: Readonly<Record<Endpoint["kind"], string>> = {
  lookup: "The list.",
  read: "What was asked for.",
  search: "One page, newest first; nothing found is an empty one.",
  document: "The file.",
  quote: "The calculation.",
  submission:
    "The insurer acted, and this is its answer. A decline is an answer, too: look at its status.",
};
