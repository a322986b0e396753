import {
  type Endpoint,
  type MatchField,
  matchPointer,
  pointerNames,
  type Schema,
} from "@insurance-gateway/core/contract";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** A JSON Schema, or what should be one. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** A reconcile that cannot be made, or proves what it does not, would be found out only when an outcome is unknown. */
export function reconcileFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  const { idempotency, kind, reconcile } = endpoint;
  if (kind === "submission" && idempotency === undefined)
    return ["a submission says what the insurer does with it a second time: `idempotency`"];
  const search = siblings[reconcile?.endpoint ?? ""];
  if (reconcile === undefined || search === undefined) return [];
  const body = endpoint.body === undefined ? {} : jsonSchemaOf(endpoint.body);
  const answers = Object.values(endpoint.response).map(jsonSchemaOf);
  const items = Object.values(search.response).map((page) => itemOf(jsonSchemaOf(page)));
  const insurerId = endpoint.insurerId ?? "";
  const from = Object.values(reconcile.parameters).map((parameter) => parameter.from);
  const fields = reconcile.same.map(matchPointer);
  return [
    ...parameterFaults(reconcile.endpoint, Object.keys(reconcile.parameters), search.query),
    ...placeFaults("its body", [body], [...from, ...fields]),
    ...placeFaults("its answer", answers, [insurerId], "string"),
    ...reconcile.same.flatMap(normaliserFaults),
    ...items.flatMap((item) => [
      ...placeFaults(`an item of ${reconcile.endpoint}`, [item], [insurerId], "string"),
      ...placeFaults(
        `an item of ${reconcile.endpoint}`,
        [item],
        [reconcile.createdAt],
        "date-time",
      ),
      ...fields.flatMap((place) => samenessFaults(reconcile.endpoint, body, item, place)),
    ]),
  ];
}

/** A normaliser without an example was tried on nothing; one that is not stable would compare a value with itself in vain. */
function normaliserFaults(field: MatchField): readonly string[] {
  if (typeof field === "string") return [];
  const { examples, name, normalise } = field.normaliser;
  if (examples.length === 0) return [`the normaliser ${name} of ${field.at} has no example`];
  return examples.flatMap(([sent, answered]) => [
    ...(normalise(sent) === normalise(answered)
      ? []
      : [`the normaliser ${name} of ${field.at} does not find ${sent} and ${answered} equal`]),
    ...[sent, answered]
      .filter((text) => normalise(normalise(text)) !== normalise(text))
      .map((text) => `the normaliser ${name} of ${field.at} changes the normal form of ${text}`),
  ]);
}

/** The gateway adds `start` and `limit`; everything else that the search needs must come from the body. */
function parameterFaults(
  search: string,
  given: readonly string[],
  query: Schema<unknown> | undefined,
): readonly string[] {
  const schema = query === undefined ? {} : jsonSchemaOf(query);
  const known = Object.keys(asSchema(schema.properties)).filter((name) => !isPaging(name));
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return [
    ...given
      .filter((name) => !known.includes(name))
      .map((name) => `its reconciliation ${search} has no parameter ${name}`),
    ...required
      .filter((name) => !given.includes(name) && !isPaging(name))
      .map(
        (name) =>
          `its reconciliation ${search} needs ${name}, and does not say where it comes from`,
      ),
  ];
}

function isPaging(name: string): boolean {
  return name === "start" || name === "limit";
}

/** Each place must be in one of the schemas, with the type or format if one is asked for. */
function placeFaults(
  whose: string,
  schemas: readonly JsonSchema[],
  places: readonly string[],
  wanted?: string,
): readonly string[] {
  return places.flatMap((place) => {
    const found = schemas.map((schema) => schemaAt(schema, place)).find((at) => at !== undefined);
    if (found === undefined) return [`${whose} has no ${place}, which its reconciliation needs`];
    const fits = wanted === undefined || found.type === wanted || found.format === wanted;
    return fits
      ? []
      : [`${whose} has a ${place} that is no ${wanted}, which its reconciliation needs`];
  });
}

/** What is a number in the one and a text in the other is never the same. */
function samenessFaults(
  search: string,
  body: JsonSchema,
  item: JsonSchema,
  place: string,
): readonly string[] {
  const sent = schemaAt(body, place);
  const found = schemaAt(item, place);
  if (found === undefined)
    return [`an item of ${search} has no ${place}, which its reconciliation needs`];
  if (sent === undefined || sent.type === found.type) return [];
  return [
    `its reconciliation compares ${place}, which is a ${String(sent.type)} in the body and a ${String(found.type)} in an item of ${search}`,
  ];
}

function jsonSchemaOf(schema: Schema<unknown>): JsonSchema {
  return asSchema(z.toJSONSchema(zod(schema)));
}

/** The schema of one item of a page. */
function itemOf(page: JsonSchema): JsonSchema {
  return asSchema(asSchema(asSchema(page.properties).items).items);
}

/** The schema at the place that a JSON Pointer names; undefined where there is none. */
function schemaAt(schema: JsonSchema, pointer: string): JsonSchema | undefined {
  let place: JsonSchema | undefined = schema;
  for (const name of pointerNames(pointer)) {
    const properties = asSchema(present(place).properties);
    if (!Object.hasOwn(properties, name)) return undefined;
    place = asSchema(properties[name]);
  }
  return present(place);
}

/** Of what may be null, what it is when it is not. */
function present(schema: JsonSchema): JsonSchema {
  const alternatives: unknown = schema.anyOf;
  if (!Array.isArray(alternatives)) return schema;
  return alternatives.map(asSchema).find(({ type }) => type !== "null") ?? schema;
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
