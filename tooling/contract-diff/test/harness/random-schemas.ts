import fc from "fast-check";

/** A JSON Schema under construction. */
export type Draft = { [keyword: string]: unknown };

const names = ["a", "b", "c"] as const;
const texts = ["", "a", "ab", "b", "bbb"] as const;
const size = fc.integer({ min: 0, max: 4 });

/**
 * Random schemas with the keywords of contracts, nested two levels at most. They may refer to the schemas `A` and `B`.
 */
export const randomSchema: fc.Arbitrary<Draft> = fc.letrec<{ schema: Draft }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { arbitrary: simpleSchema(), weight: 4 },
    { arbitrary: object(tie("schema")), weight: 4 },
    { arbitrary: list(tie("schema")), weight: 1 },
    { arbitrary: combination(tie("schema")), weight: 2 },
    { arbitrary: fc.constantFrom("A", "B").map(referTo), weight: 1 },
  ),
})).schema;

function referTo(name: string): Draft {
  return { $ref: `#/components/schemas/${name}` };
}

function simpleSchema(): fc.Arbitrary<Draft> {
  const string = fc.record(
    {
      type: fc.constantFrom("string", ["string", "null"]),
      minLength: size,
      maxLength: size,
      pattern: fc.constantFrom("^a", "b$"),
    },
    { requiredKeys: ["type"] },
  );
  const number = fc.record(
    {
      type: fc.constantFrom("integer", "number", ["integer", "null"]),
      minimum: size,
      exclusiveMinimum: size,
      maximum: size,
      exclusiveMaximum: size,
      multipleOf: fc.constantFrom(1, 2, 0.5),
    },
    { requiredKeys: ["type"] },
  );
  return fc.oneof(
    string,
    number,
    fc.constantFrom<Draft[]>({}, { type: "null" }, { type: "boolean" }, { not: {} }),
    fc.subarray([...texts], { minLength: 1 }).map((values) => ({ enum: values })),
    fc.constantFrom(...texts).map((value) => ({ const: value })),
  );
}

function object(schema: fc.Arbitrary<Draft>): fc.Arbitrary<Draft> {
  return fc.record(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom(...names), schema, {
        maxKeys: 3,
        noNullPrototype: true,
      }),
      required: fc.subarray([...names]),
      additionalProperties: fc.oneof(fc.constant<boolean | Draft>(false), schema),
      propertyNames: fc.constantFrom<Draft[]>({ pattern: "^a" }, { maxLength: 0 }),
    },
    { requiredKeys: ["type", "properties"] },
  );
}

function list(schema: fc.Arbitrary<Draft>): fc.Arbitrary<Draft> {
  return fc.record(
    {
      type: fc.constant("array"),
      items: schema,
      prefixItems: fc.array(schema, { minLength: 1, maxLength: 2 }),
      minItems: size,
      maxItems: size,
    },
    { requiredKeys: ["type", "items"] },
  );
}

function combination(schema: fc.Arbitrary<Draft>): fc.Arbitrary<Draft> {
  const members = fc.array(schema, { minLength: 1, maxLength: 3 });
  return fc
    .tuple(fc.constantFrom("anyOf", "oneOf", "allOf"), members)
    .map(([keyword, schemas]) => ({ [keyword]: schemas }));
}

/** A change of a schema: the number of the changed part, the number of the way, and the schema to insert. */
export interface Mutation {
  readonly part: number;
  readonly way: number;
  readonly fresh: Draft;
}

/** Random changes of one part of a schema. */
export const randomMutation: fc.Arbitrary<Mutation> = fc.record({
  part: fc.nat(20),
  way: fc.nat(100),
  fresh: randomSchema,
});

/** The ways in which a mutation changes a part. */
const changeWays: readonly ((part: Draft, fresh: Draft) => Draft)[] = [
  (_part, fresh) => fresh,
  (part, fresh) => ({ ...part, ...fresh }),
  (part, fresh) => ({ anyOf: [part, fresh] }),
  (part) => ({ anyOf: [{ type: "null" }, part] }),
  (part, fresh) => ({ oneOf: [part, fresh] }),
  (part, fresh) => ({ allOf: [part, fresh] }),
  (part, fresh) => ({ ...part, properties: { ...Object(part.properties), b: fresh } }),
  (part) => ({ ...part, required: ["a"] }),
  (part) => ({ ...part, additionalProperties: false }),
  (part) => ({ ...part, properties: without(Object(part.properties), "a") }),
  ...[
    "required",
    "additionalProperties",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "enum",
    "type",
    "not",
    "anyOf",
  ].map((keyword) => (part: Draft) => without(part, keyword)),
];

function without(part: Draft, keyword: string): Draft {
  return Object.fromEntries(Object.entries(part).filter(([name]) => name !== keyword));
}

/** Returns the schema with the chosen part changed. */
export function mutate(schema: Draft, { fresh, part, way }: Mutation): Draft {
  let countdown = part % countParts(schema);
  const change = (node: Draft): Draft => {
    const isChosen = countdown === 0;
    countdown -= 1;
    const inner = mapParts(node, change);
    return isChosen ? (changeWays[way % changeWays.length]?.(inner, fresh) ?? inner) : inner;
  };
  return change(schema);
}

function countParts(schema: Draft): number {
  let count = 0;
  const visit = (node: Draft): Draft => {
    count += 1;
    return mapParts(node, visit);
  };
  visit(schema);
  return count;
}

/** Applies a function to every direct subschema. */
function mapParts(node: Draft, change: (part: Draft) => Draft): Draft {
  const entries = Object.entries(node).map(([keyword, value]): [string, unknown] => {
    if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(keyword))
      return [keyword, (value as Draft[]).map(change)]; // Lists of schemas, as generated above.
    if (keyword === "properties")
      return [
        keyword,
        Object.fromEntries(
          Object.entries(value as Draft).map(([name, part]) => [name, change(part as Draft)]), // Schemas by name.
        ),
      ];
    const isPart = ["items", "additionalProperties"].includes(keyword) && typeof value === "object";
    return [keyword, isPart ? change(value as Draft) : value]; // Not a boolean, so a schema.
  });
  return Object.fromEntries(entries);
}
