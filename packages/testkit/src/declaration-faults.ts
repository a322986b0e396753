import {
  answersOf,
  bodyOf,
  type Endpoint,
  parameterForms,
  pathParameters,
  type Schema,
} from "@insurance-gateway/core/contract";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import { pagingFaults } from "./paging-faults.ts";
import { reconcileFaults } from "./reconcile-faults.ts";

/** What contradicts itself in one endpoint's declaration: its path, its schemas, its paging, its reconciliation. */
export function declarationFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  return [
    ...pathFaults(endpoint),
    ...wireFaults(endpoint),
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
    : [`its path has the parameters (${inPath}), and \`params\` has (${inSchema})`];
}

/** A transform, a default or a coercion makes what is read another than what was sent. */
function wireFaults(endpoint: Endpoint): readonly string[] {
  return schemasOf(endpoint).flatMap(([part, schema]) =>
    schema === undefined || readsWhatWasSent(schema)
      ? []
      : [`the schema of ${part} reads another value than was sent`],
  );
}

/** Every schema of an endpoint with the part that it is for. */
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

function readsWhatWasSent(schema: Schema<unknown>): boolean {
  const sent = wireSchema(schema, "input");
  return sent !== null && sent === wireSchema(schema, "output");
}

/** Kinds of schemas whose values no JSON, text or file is. */
const NOT_ON_WIRE: readonly string[] = [
  "transform",
  "bigint",
  "date",
  "map",
  "set",
  "symbol",
  "undefined",
  "void",
  "nan",
  "function",
];

/** The JSON Schema of what is sent, or of what is read; null for what cannot be sent, such as what a transform makes. */
function wireSchema(schema: Schema<unknown>, io: "input" | "output"): string | null {
  let isOnWire = true;
  const described = z.toJSONSchema(zod(schema), {
    io,
    // A file has no JSON Schema of its own.
    unrepresentable: "any",
    override({
      zodSchema: {
        _zod: { def },
      },
    }) {
      if (NOT_ON_WIRE.includes(def.type)) isOnWire = false;
    },
  });
  return isOnWire ? JSON.stringify(described) : null;
}
