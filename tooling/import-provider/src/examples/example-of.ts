import type { PublishedEnvelope } from "@insurance-gateway/adapter";
import { check } from "@insurance-gateway/core/contract";
import { isPlainText } from "@insurance-gateway/core/runtime";
import type { JsonObject } from "../document/references.ts";
import { hasEnvelope, successExamples } from "../operations/envelope.ts";
import type { ImportedEndpoint } from "../operations/model.ts";
import type { Definition } from "../schemas/model.ts";
import type { SchemaOf } from "../schemas/zod-of.ts";
import { firstValidExample } from "./fitted.ts";
import type { Sampler } from "./sample.ts";

/** An example of a call: the request and the insurer's answer. */
export interface ImportedExample {
  readonly request: Readonly<Record<string, unknown>>;
  /** The body of the insurer's answer; undefined for a document and for an answer without a body. */
  readonly response: unknown;
}

/** A part of a call for which no valid value was found. */
export interface MissingValue {
  readonly part: string;
  readonly definition: Definition;
}

/** Returns the example of an endpoint: the document's own examples if they are valid, otherwise generated values. */
export function exampleOf(
  endpoint: ImportedEndpoint,
  schemaOf: SchemaOf,
  { sample }: Sampler,
  envelope?: PublishedEnvelope,
): ImportedExample | MissingValue {
  const { answers, body, examples, headers, params, query } = endpoint;
  const request: Record<string, unknown> = {};
  const shownOrMade = (definition: Definition, shown: readonly unknown[]): unknown =>
    firstValidExample(shown, definition, schemaOf) ?? sample(definition);
  for (const part of ["params", "query", "headers"] as const) {
    const definition = { params, query, headers }[part];
    if (definition === undefined) continue;
    const shown = examples[part];
    const usable = part === "params" ? withoutSlashes(shown) : shown;
    const value = parameterValues(definition, usable, schemaOf, sample);
    if (value === undefined) return { part, definition };
    if (Object.keys(value).length > 0) request[part] = value;
  }
  const [bodyMedia] = body?.media ?? [];
  if (bodyMedia !== undefined) {
    const { definition } = bodyMedia;
    const value = shownOrMade(definition, examples.body.filter(isPlain));
    if (value === undefined && body?.required === true) return { part: "body", definition };
    if (value !== undefined) request.body = value;
  }
  const [first] = answers;
  const [answer] = first?.media ?? [];
  if (first === undefined || answer === undefined) return { request, response: undefined };
  const candidates = [...examples.answer, sample(answer.definition)];
  const response =
    envelope === undefined || !hasEnvelope(first, envelope)
      ? shownOrMade(answer.definition, examples.answer)
      : firstValidExample(successExamples(candidates, envelope), answer.definition, schemaOf);
  return response === undefined
    ? { part: "response", definition: answer.definition }
    : { request, response };
}

/** Reports whether every text is on one line, as the rule `plainText` requires for requests. */
function isPlain(value: unknown): boolean {
  if (typeof value === "string") return isPlainText(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isPlain);
}

/** Removes values with slashes, because the gateway refuses a slash inside a path segment. */
function withoutSlashes(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => !/[/\\]/.test(String(value))),
  );
}

/** Returns values of the required parameters and of the parameters that have an example. */
function parameterValues(
  definition: Definition,
  shown: JsonObject,
  schemaOf: SchemaOf,
  sample: Sampler["sample"],
): JsonObject | undefined {
  const { node } = definition;
  const made = sample(definition);
  if (node.type !== "object" || typeof made !== "object" || made === null) return undefined;
  const schema = schemaOf(definition);
  const required = node.fields.filter((field) => field.required).map(({ name }) => name);
  let values: JsonObject = Object.fromEntries(
    Object.entries(made).filter(([name]) => required.includes(name)),
  );
  for (const [name, value] of Object.entries(shown)) {
    const changed = {
      ...values,
      [name]: typeof value === "number" && !isNumber(node, name) ? String(value) : value,
    };
    if (check(schema, changed).valid) values = changed;
  }
  return values;
}

function isNumber(node: Definition["node"], name: string): boolean {
  const field = node.type === "object" ? node.fields.find((one) => one.name === name) : undefined;
  return field?.schema.type === "number" || field?.schema.type === "integer";
}
