import type { Endpoint, Schema } from "@insurance-gateway/core/contract";
import { answersOf, bodyOf, parameterForms, pathParameters } from "@insurance-gateway/core/runtime";
import { pagingFaults } from "./paging-faults.ts";
import { reconcileFaults } from "./reconcile-faults.ts";
import type { RunCache } from "./run.ts";

/** Finds contradictions in an endpoint's declaration: in its path, its schemas, its paging or its reconciliation. */
export function declarationFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
  { readsWhatWasSent }: Pick<RunCache, "readsWhatWasSent">,
): readonly string[] {
  return [
    ...pathFaults(endpoint),
    ...wireFaults(endpoint, readsWhatWasSent),
    ...pagingFaults(endpoint),
    ...reconcileFaults(endpoint, siblings),
  ];
}

function pathFaults({ params, path }: Endpoint): readonly string[] {
  const inPath = pathParameters(path).toSorted().join(", ");
  const inSchema = Object.keys(params === undefined ? {} : parameterForms(params))
    .toSorted()
    .join(", ");
  return inPath === inSchema
    ? []
    : [`\`params\` must have the parameters of the path (${inPath}), not (${inSchema})`];
}

/** Finds schemas that change a value, such as by a transform, a default or a coercion. */
function wireFaults(
  endpoint: Endpoint,
  readsWhatWasSent: RunCache["readsWhatWasSent"],
): readonly string[] {
  return schemasOf(endpoint).flatMap(([part, schema]) =>
    schema === undefined || readsWhatWasSent(schema)
      ? []
      : [`the schema of ${part} must not change the values that it reads`],
  );
}

/** Returns the schemas of an endpoint, each with its place: `params`, `query`, `headers`, `body` or a status. */
function schemasOf(
  endpoint: Endpoint,
): readonly (readonly [part: string, schema: Schema<unknown> | undefined])[] {
  const { headers, params, query } = endpoint;
  const bodies = Object.entries(bodyOf(endpoint)?.media ?? {});
  return [
    ["params", params],
    ["query", query],
    ["headers", headers],
    ...bodies.map(([, schema]) => ["body", schema] as const),
    ...answersOf(endpoint).flatMap(([status, { media }]) =>
      Object.values(media).map((schema) => [String(status), schema] as const),
    ),
  ];
}
