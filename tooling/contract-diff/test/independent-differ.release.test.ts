import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import jsonSchemaDiff from "json-schema-diff";
import { describe, expect, it } from "vitest";
import { compareContracts, neededLevel } from "../src/index.ts";
import { answering, requesting } from "./harness/contracts.ts";

/** A JSON Schema without references, as an object. */
type Node = Readonly<Record<string, unknown>>;

/** A change of one schema. It returns undefined if the schema lacks the part to change. */
type Mutation = (schema: Node) => Node | undefined;

const root = fileURLToPath(new URL("../../../", import.meta.url));

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const nodeOf = (value: unknown): Node => (isNode(value) ? value : {});
const namesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
const without = (node: Node, name: string): Node =>
  Object.fromEntries(Object.entries(node).filter(([other]) => other !== name));

/** Returns a mutation that moves a limit, if the schema has the limit. */
function moveLimit(keyword: string, by: number): Mutation {
  return (schema) => {
    const limit = schema[keyword];
    return typeof limit === "number" ? { ...schema, [keyword]: limit + by } : undefined;
  };
}

/**
 * The changes that the npm package json-schema-diff also judges. It ignores `enum`, `const`, `pattern` and `format`;
 * soundness.test.ts judges these with samples. New fields of open objects are missing, too: in set theory every new
 * field excludes values, but nobody sends an undeclared field.
 */
const mutations: Readonly<Record<string, Mutation>> = {
  "a field becomes required": ({ properties, required, ...rest }) => {
    const free = Object.keys(nodeOf(properties)).find((name) => !namesOf(required).includes(name));
    return free === undefined
      ? undefined
      : { ...rest, properties, required: [...namesOf(required), free] };
  },
  "a field of a closed object is added": ({ properties, ...rest }) =>
    rest.additionalProperties === false
      ? { ...rest, properties: { ...nodeOf(properties), extra: { type: "string" } } }
      : undefined,
  "a field of a closed object is removed": ({ properties, required, ...rest }) => {
    const [name] = Object.keys(nodeOf(properties));
    if (rest.additionalProperties !== false || name === undefined) return undefined;
    const others = namesOf(required).filter((other) => other !== name);
    return { ...rest, properties: without(nodeOf(properties), name), required: others };
  },
  "an object is opened": (schema) =>
    schema.additionalProperties === false ? without(schema, "additionalProperties") : undefined,
  "a text may be longer": moveLimit("maxLength", 1),
  "a text must be longer": moveLimit("minLength", 1),
  "a number may be larger": moveLimit("maximum", 1),
  "a number must be larger": moveLimit("minimum", 1),
  "a value may be null": (schema) =>
    typeof schema.type === "string" ? { ...schema, type: [schema.type, "null"] } : undefined,
  "a list may have two items at most": (schema) =>
    schema.type === "array" ? { ...schema, maxItems: 2 } : undefined,
};

/** The schemas of this repository's providers, with each reference replaced by its schema. */
const schemas = globSync("packages/provider-*/openapi.json", { cwd: root }).flatMap((file) => {
  const { components } = JSON.parse(readFileSync(join(root, file), "utf8"));
  const named = nodeOf(nodeOf(components).schemas);
  return Object.entries(named).map(([name, schema]) => ({
    name: `${file.split("/")[1]} ${name}`,
    schema: nodeOf(inlined(schema, named)),
  }));
});

function inlined(value: unknown, named: Node): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, named));
  if (!isNode(value)) return value;
  if (typeof value.$ref === "string")
    return inlined(
      { ...nodeOf(named[value.$ref.split("/").at(-1) ?? ""]), ...without(value, "$ref") },
      named,
    );
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, inlined(part, named)]),
  );
}

/** Returns all schemas that result from one mutation of any part of a schema. */
function applyToEachPart(schema: Node, mutate: Mutation): readonly Node[] {
  const own = mutate(schema);
  const fields = Object.entries(nodeOf(schema.properties)).flatMap(([name, part]) =>
    applyToEachPart(nodeOf(part), mutate).map((changed) => ({
      ...schema,
      properties: { ...nodeOf(schema.properties), [name]: changed },
    })),
  );
  const items = isNode(schema.items)
    ? applyToEachPart(schema.items, mutate).map((changed) => ({ ...schema, items: changed }))
    : [];
  return [...(own === undefined ? [] : [own]), ...fields, ...items];
}

const rows = Object.entries(mutations).flatMap(([change, mutate]) =>
  schemas.flatMap(({ name, schema }) =>
    applyToEachPart(schema, mutate)
      .slice(0, 3)
      .map((after) => ({ title: `${name}: ${change}`, before: schema, after })),
  ),
);

/** Returns the breaking changes that json-schema-diff finds: lost values of a request, and new values of an answer. */
async function breakingInJsonSchemaDiff(before: Node, after: Node): Promise<readonly boolean[]> {
  const schemas = { sourceSchema: before, destinationSchema: after };
  const { additionsFound, removalsFound } = await jsonSchemaDiff.diffSchemas(schemas);
  return [removalsFound, additionsFound];
}

function ourVerdicts(before: Node, after: Node): readonly boolean[] {
  return [requesting, answering].map(
    (write) => neededLevel(compareContracts(write(before), write(after))) === "major",
  );
}

describe("comparison with json-schema-diff", () => {
  it("json-schema-diff judges at least 80 changes of the providers' documents", () => {
    expect(rows.length).toBeGreaterThanOrEqual(80);
  });

  it("contract-diff and json-schema-diff report the same breaking changes, in both directions of every change", async () => {
    const different: string[] = [];
    for (const { after, before, title } of rows)
      for (const [way, old, current] of [
        ["", before, after],
        [", back", after, before],
      ] as const) {
        const [own, other] = [
          ourVerdicts(old, current),
          await breakingInJsonSchemaDiff(old, current),
        ];
        if (String(own) !== String(other))
          different.push(`${title}${way}: ${String(own)} and ${String(other)}`);
      }
    expect(different).toEqual([]);
  });
});
