import {
  type Endpoint,
  parameterTypes,
  pathParameters,
  type Schema,
} from "@insurance-gateway/core/contract";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import { reconcileFaults } from "./reconcile-faults.ts";

/** What contradicts itself in one endpoint's declaration: its path, its schemas, its lookup. */
export function declarationFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  return [...pathFaults(endpoint), ...wireFaults(endpoint), ...reconcileFaults(endpoint, siblings)];
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
