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
  { body, lookup }: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  if (lookup === undefined) return [];
  const query = siblings[lookup.endpoint]?.query;
  const known = query === undefined ? [] : Object.keys(parameterTypes(query));
  return Object.entries(lookup.parameters).flatMap(([name, { from }]) => [
    ...(known.includes(name) ? [] : [`its lookup ${lookup.endpoint} has no parameter ${name}`]),
    ...(body !== undefined && hasPlace(body, from)
      ? []
      : [`its body has no ${from} to look up with`]),
  ]);
}

/** Whether a schema has a property at the place that a JSON Pointer names. */
function hasPlace(schema: Schema<unknown>, pointer: string): boolean {
  let place: unknown = z.toJSONSchema(zod(schema));
  for (const name of pointer.split("/").slice(1)) {
    const properties = property(place, "properties");
    place = property(properties, name);
  }
  return place !== undefined;
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
