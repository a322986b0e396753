import { check, type Endpoint, type Schema } from "@insurance-gateway/core/contract";
import {
  answersOf,
  bodyOf,
  type ParameterForm,
  pageParameterInWords,
  parameterForms,
} from "@insurance-gateway/core/runtime";
import {
  type Documentation,
  type EndpointPart,
  type Labels,
  summaryOf,
  type TypeReference,
} from "../documentation/documentation.ts";
import type { Components } from "./components.ts";
import { type Direction, jsonSchemaOf } from "./json-schema.ts";
import type {
  Header,
  JsonSchema,
  Parameter,
  ProviderOperation,
  ResponseObject,
} from "./open-api.ts";
import { examplesOf, type NamedExamples } from "./operation-examples.ts";
import { outcomeRulesOf } from "./outcome-rules.ts";
import { requestBodyOf } from "./request-body.ts";

/** The inputs that all operations of one document share. */
export interface OperationParts {
  readonly documentation: Documentation;
  readonly components: Components;
}

/** Writes the operation of an endpoint, without the gateway's additions. */
export function providerOperation(
  name: string,
  endpoint: Endpoint,
  examples: NamedExamples,
  parts: OperationParts,
): ProviderOperation {
  const { labels, parts: types = {}, text = "" } = parts.documentation.endpoints[name] ?? {};
  const { schemas } = parts.documentation;
  const rules = outcomeRulesOf(endpoint);
  const place: Components["place"] = (schema, type, direction) =>
    parts.components.place(schema, type, direction);
  const parameters = [
    ...parametersOf("path", endpoint, endpoint.params, types.params, examples, parts),
    ...parametersOf("query", endpoint, endpoint.query, types.query, examples, parts),
    ...parametersOf("header", endpoint, endpoint.headers, types.headers, examples, parts),
  ];
  // The declared type of a body describes its only schema, or the union of all its schemas.
  const isOneType = Object.keys(bodyOf(endpoint)?.media ?? {}).length === 1;
  const requestBody = requestBodyOf(endpoint, examples, (schema) =>
    place(jsonSchemaOf(schema, schemas), isOneType ? (types.body ?? {}) : {}, "request"),
  );
  return {
    operationId: name,
    summary: text === "" ? name : summaryOf(text),
    description: text.slice(summaryOf(text).length).replace(/^\.?\s*/, ""),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: successes(endpoint, examples, parts.documentation, (schema, status) => {
      const written = jsonSchemaOf(schema, schemas);
      if (isUsualPage(endpoint)) return pageOf(written, types.item ?? {}, place);
      const part: EndpointPart = `response ${status}`;
      return place(written, types[part] ?? types.page ?? types.response ?? {}, "answer");
    }),
    "x-kind": endpoint.kind,
    ...labelled(labels),
    ...(endpoint.paging === undefined ? {} : { "x-paging": endpoint.paging }),
    ...(rules === undefined ? {} : { "x-outcome-rules": rules }),
  };
}

/** Reports whether an endpoint is a search with the default paging, whose page core describes for all searches. */
function isUsualPage({ kind, paging }: Endpoint): boolean {
  return kind === "search" && paging === undefined;
}

/** Returns a schema that only names the default page and its items. The gateway adds the rest of the page's schema. */
function pageOf(
  { $defs, properties }: JsonSchema,
  type: TypeReference,
  place: (schema: JsonSchema, type: TypeReference, direction: Direction) => JsonSchema,
): JsonSchema {
  const item = properties?.items?.items ?? {};
  const items = place({ ...item, ...($defs === undefined ? {} : { $defs }) }, type, "answer");
  return { "x-page": `${type.name ?? ""}Page`, items };
}

function parametersOf(
  place: Parameter["in"],
  endpoint: Endpoint,
  schema: Schema<unknown> | undefined,
  type: TypeReference | undefined,
  examples: NamedExamples,
  { documentation }: OperationParts,
): readonly Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema);
  const documented = documentation.types[type?.name ?? ""]?.properties ?? {};
  const part = partsOfPlaces[place];
  const forms = parameterForms(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    // Core describes the default paging parameters for all searches.
    ...(documented[name]?.text && pageParameterInWords(endpoint, name) === null
      ? { description: documented[name].text }
      : {}),
    ...labelled(documented[name]?.labels),
    required: required.includes(name),
    ...(place === "query" ? writtenAs(forms[name]) : {}),
    schema: withoutStyle(property),
    examples: examplesOf(examples, ({ request }) =>
      Reflect.get(Object(Reflect.get(request, part)), name),
    ),
  }));
}

function labelled(labels: Labels | undefined): Pick<Parameter, "x-labels"> {
  return labels === undefined ? {} : { "x-labels": labels };
}

/** The part of an endpoint's input for each place (`in`) of an OpenAPI parameter. */
const partsOfPlaces = { path: "params", query: "query", header: "headers" } as const;

/** Returns a parameter's schema without the keywords that its `style` replaces. */
function withoutStyle(property: JsonSchema): JsonSchema {
  const { "x-joined": _, ...schema } = property;
  return schema;
}

/** Returns the query syntax of a list or an object (OpenAPI 3.1, "Style Values"). */
function writtenAs(form: ParameterForm | undefined): Pick<Parameter, "style" | "explode"> {
  if (form?.style === "repeated") return { style: "form", explode: true };
  if (form?.style === "joined") return { style: "form", explode: false };
  return form?.style === "object" ? { style: "deepObject", explode: true } : {};
}

function successes(
  endpoint: Endpoint,
  examples: NamedExamples,
  { headers }: Documentation,
  place: (schema: Schema<unknown>, status: number) => JsonSchema,
): Readonly<Record<string, ResponseObject>> {
  if (endpoint.files !== undefined)
    return {
      200: {
        description: "",
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
        description: "",
        ...declaredHeaders(declared, headers.get(declared)),
        ...(Object.keys(media).length === 0
          ? {}
          : {
              content: Object.fromEntries(
                Object.entries(media).map(([mediaType, schema]) => [
                  mediaType,
                  {
                    schema: place(schema, status),
                    // An example belongs to the status whose schema it matches.
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

/** Returns the insurer's headers that the gateway forwards. */
function declaredHeaders(
  schema: Schema<unknown> | undefined,
  texts: Readonly<Record<string, string>> = {},
): { readonly headers: Readonly<Record<string, Header>> } | undefined {
  if (schema === undefined) return undefined;
  const { properties = {} } = jsonSchemaOf(schema);
  return {
    headers: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        { description: texts[name] ?? property.description ?? "", schema: withoutStyle(property) },
      ]),
    ),
  };
}
