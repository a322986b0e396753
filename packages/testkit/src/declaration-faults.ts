import {
  type Endpoint,
  parameterTypes,
  pathParameters,
  type Schema,
} from "@insurance-gateway/core/contract";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** What contradicts itself in one endpoint's declaration: its path, its schemas, its lookup. */
export function declarationFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  return [...pathFaults(endpoint), ...wireFaults(endpoint), ...lookupFaults(endpoint, siblings)];
}

function pathFaults({ params, path }: Endpoint): readonly string[] {
  const inPath = pathParameters(path).toSorted().join(", ");
  const inSchema = Object.keys(params === undefined ? {} : parameterTypes(params))
    .toSorted()
    .join(", ");
  return inPath === inSchema
    ? []
    : [`its path has the parameters (${inPath}), and \`params\` has (${inSchema})`];
}

/** A transform, a default or a coercion makes what is read another than what was sent. */
function wireFaults({ body, params, query, response }: Endpoint): readonly string[] {
  return Object.entries({ params, query, body, ...response }).flatMap(([part, schema]) =>
    schema === undefined || readsWhatWasSent(schema)
      ? []
      : [`the schema of ${part} reads another value than was sent`],
  );
}

function readsWhatWasSent(schema: Schema<unknown>): boolean {
  try {
    const sent = JSON.stringify(z.toJSONSchema(zod(schema), { io: "input" }));
    return sent === JSON.stringify(z.toJSONSchema(zod(schema), { io: "output" }));
  } catch {
    // A transform has no JSON Schema.
    return false;
  }
}

/** A lookup that cannot be made would be found out only when an outcome is unknown. */
function lookupFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  const { body, idempotency, kind, lookup, response } = endpoint;
  if (kind === "submission" && idempotency === undefined)
    return ["a submission says what the insurer does with it a second time: `idempotency`"];
  if (lookup === undefined) return [];
  const { query, response: found = {} } = siblings[lookup.endpoint] ?? {};
  const known = query === undefined ? [] : Object.keys(parameterTypes(query));
  const needed = Object.values(lookup.parameters).map(({ from }) => from);
  const missing = (
    whose: string,
    places: readonly string[],
    schemas: readonly unknown[],
  ): readonly string[] =>
    places
      .filter((place) => !schemas.some((schema) => hasPlace(schema, place)))
      .map((place) => `${whose} has no ${place}, which its lookup needs`);
  const answers = Object.values(response).map(jsonSchemaOf);
  const items = Object.values(found).map((page) => itemOf(jsonSchemaOf(page)));
  const shown = [endpoint.reference ?? "", lookup.createdAt, ...lookup.same];
  return [
    ...Object.keys(lookup.parameters)
      .filter((name) => !known.includes(name))
      .map((name) => `its lookup ${lookup.endpoint} has no parameter ${name}`),
    ...missing(
      "its body",
      [...needed, ...lookup.same],
      body === undefined ? [] : [jsonSchemaOf(body)],
    ),
    ...missing("its answer", [endpoint.reference ?? ""], answers),
    ...missing(`an item of ${lookup.endpoint}`, shown, items),
  ];
}

function jsonSchemaOf(schema: Schema<unknown>): unknown {
  return z.toJSONSchema(zod(schema));
}

/** The schema of one item of a page. */
function itemOf(page: unknown): unknown {
  return property(property(property(page, "properties"), "items"), "items");
}

/** Whether a JSON Schema has a property at the place that a JSON Pointer names. */
function hasPlace(schema: unknown, pointer: string): boolean {
  let place = schema;
  for (const name of pointer.split("/").slice(1))
    place = property(property(place, "properties"), name);
  return place !== undefined;
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
