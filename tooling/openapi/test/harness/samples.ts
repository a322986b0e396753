import type { JsonSchema } from "@insurance-gateway/reference";
import fc, { type Arbitrary } from "fast-check";

/** A function that returns the schema to which a `$ref` refers. */
export type Resolve = (reference: string) => JsonSchema;

/** Returns values for testing a schema: most are nearly valid, some are at a limit, and a few are of another type. */
export function samplesOf(schema: JsonSchema, resolve: Resolve): Arbitrary<unknown> {
  if (schema.$ref !== undefined) return samplesOf(resolve(schema.$ref), resolve);
  const fitting = fittingSamples(schema, resolve);
  return fc.oneof({ arbitrary: fitting, weight: 24 }, { arbitrary: fc.jsonValue(), weight: 1 });
}

/** Returns a valid value with a few parts replaced by samples, so that most parts of a large value remain valid. */
export function samplesAround(
  value: unknown,
  schema: JsonSchema,
  resolve: Resolve,
): Arbitrary<unknown> {
  if (schema.$ref !== undefined) return samplesAround(value, resolve(schema.$ref), resolve);
  return fc.oneof(
    { arbitrary: partsAround(value, schema, resolve), weight: 24 },
    { arbitrary: samplesOf(schema, resolve), weight: 1 },
  );
}

function partsAround(value: unknown, schema: JsonSchema, resolve: Resolve): Arbitrary<unknown> {
  if (Array.isArray(value))
    return fc.tuple(...value.map((item) => samplesAround(item, schema.items ?? {}, resolve)));
  if (typeof value !== "object" || value === null) return fc.constant(value);
  const { properties = {} } = schema.anyOf === undefined ? schema : objectOf(schema.anyOf, resolve);
  const fields = Object.entries(value).map(
    ([name, part]) => [name, samplesAround(part, properties[name] ?? {}, resolve)] as const,
  );
  return changed(fc.record(Object.fromEntries(fields)), Object.keys(value));
}

function objectOf(members: readonly JsonSchema[], resolve: Resolve): JsonSchema {
  const whole = members.map(({ $ref, ...rest }) => ($ref === undefined ? rest : resolve($ref)));
  return whole.find(({ properties }) => properties !== undefined) ?? {};
}

function fittingSamples(schema: JsonSchema, resolve: Resolve): Arbitrary<unknown> {
  if (schema.anyOf !== undefined)
    return fc.oneof(...schema.anyOf.map((member) => samplesOf(member, resolve)));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return fc.oneof(...types.map((type: unknown) => ofType(String(type), schema, resolve)));
}

function ofType(type: string, schema: JsonSchema, resolve: Resolve): Arbitrary<unknown> {
  switch (type) {
    case "object":
      return objects(schema, resolve);
    case "array":
      return fc.array(samplesOf(schema.items ?? {}, resolve), { maxLength: 3 });
    case "string":
      return strings(schema);
    case "integer":
    case "number":
      return numbers(schema);
    case "boolean":
      return fc.boolean();
    default:
      return fc.constant(null);
  }
}

function objects(
  { properties = {}, required = [] }: JsonSchema,
  resolve: Resolve,
): Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, samplesOf(property, resolve)]),
  );
  return changed(fc.record(fields, { requiredKeys: [...required] }), Object.keys(fields));
}

/** Returns objects: most are complete, some lack a field, and some have an additional field. */
function changed(
  whole: Arbitrary<Readonly<Record<string, unknown>>>,
  names: readonly string[],
): Arbitrary<unknown> {
  const without = fc
    .tuple(whole, fc.constantFrom("", ...names))
    .map(([value, name]) =>
      Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)),
    );
  const further = fc
    .tuple(whole, fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue())
    // zod drops an own `__proto__`, which only JSON.parse can create.
    .filter(([, name]) => name !== "__proto__")
    .map(([value, name, extra]) => ({ ...value, [name]: extra }));
  return fc.oneof(
    { arbitrary: whole, weight: 18 },
    { arbitrary: without, weight: 1 },
    { arbitrary: further, weight: 1 },
  );
}

function strings(schema: JsonSchema): Arbitrary<string> {
  const { examples = [], format = "", maxLength = 0, pattern = "" } = schema;
  const atTheEdge =
    maxLength > 0 && maxLength < 1_000 ? [maxLength - 1, maxLength, maxLength + 1] : [];
  const lengths = atTheEdge.flatMap((length) =>
    ["α", "🚗", " "].map((character) => character.repeat(length)),
  );
  const near = fc.constantFrom(
    "",
    " ",
    "\n",
    "\u00a0",
    ...lengths,
    ...examples.map(String),
    ...(nearFormats[format] ?? Object.values(nearFormats).flat()),
  );
  const matching = pattern === "" ? near : fc.stringMatching(new RegExp(pattern, "u"));
  return fc.oneof(near, matching, dates, instants, fc.string({ unit: "binary", maxLength: 20 }));
}

const nearFormats: Readonly<Record<string, readonly string[]>> = {
  date: [
    "2026-02-29",
    "2024-02-29",
    "1900-02-29",
    "2026-13-01",
    "2026-00-10",
    "0000-01-01",
    "26-1-1",
  ],
  "date-time": [
    "2026-12-01T08:00:00Z",
    "2026-12-01T08:00Z",
    "2026-12-01T08:00:00+02:00",
    "2026-12-01T25:00:00Z",
    "2026-12-01T08:00:00.123456Z",
    "2026-12-31T23:59:60Z",
    "2026-12-01 08:00:00Z",
    "2026-12-01T08:00:00z",
    "2026-02-29T08:00:00Z",
  ],
  code: [
    "ΙΚΥ-1234",
    "GR",
    "GRC",
    "gr",
    "123456789",
    "12345678",
    "1234567890",
    "１２３４５６７８９",
  ],
  decimal: ["123456789\n", "12.34", "-0.00", "1.5", "1.234", ".50", "12.34\n", "1e5"],
};

const dates = fc
  .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const instants = fc
  .date({ min: new Date("1970-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());

function numbers(schema: JsonSchema): Arbitrary<number> {
  const limits = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
    .map((keyword) => schema[keyword])
    .filter((limit) => typeof limit === "number");
  const edges = limits.flatMap((limit) => [limit - 1, limit, limit + 1, limit + 0.5]);
  return fc.oneof(
    fc.constantFrom(
      ...edges,
      0,
      -0,
      0.01,
      0.07,
      0.1,
      0.29,
      1.1,
      1.005,
      0.30000000000000004,
      5e-324,
      1e21,
      66.66,
    ),
    fc.integer({ min: -10, max: 200 }),
    fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
}
