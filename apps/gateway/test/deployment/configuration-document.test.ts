import { describe, expect, it } from "vitest";
import * as z from "zod";
import { configurationSchema } from "../../src/configuration/schema.ts";
import { namedIn, tableBelow } from "./document.ts";

/** What JSON Schema says of a value, as far as this test asks. */
interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly items?: JsonSchema | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
  readonly default?: unknown;
}

/** Keys whose parts are told in one row. */
const TOLD_WHOLE = ["providers[].upstream.credentials"];

/** Every key that has a value of its own, by its path, with its default. */
function keysOf(schema: JsonSchema, path = ""): readonly (readonly [string, unknown])[] {
  const { anyOf = [], items, properties } = schema;
  const below = path === "" ? "" : `${path}.`;
  const isSecret = anyOf.some((one) => one.properties?.env !== undefined);
  if (TOLD_WHOLE.includes(path) || isSecret) return [[path, schema.default]];
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, value]) => keysOf(value, below + name));
  if (items?.properties !== undefined)
    return [[`${path}[]`, schema.default], ...keysOf(items, `${path}[]`)];
  if (items !== undefined) return [[`${path}[]`, schema.default]];
  const alternatives = anyOf.filter((one) => one.properties !== undefined);
  return [[path, schema.default], ...alternatives.flatMap((one) => keysOf(one, path))];
}

/** The keys that a row tells, `.audience` being beside the key before it. */
function keysIn(cell: string): readonly string[] {
  const keys: string[] = [];
  for (const name of namedIn(cell))
    keys.push(name.startsWith(".") ? (keys.at(-1) ?? "").replace(/\.[^.]*$/, name) : name);
  return keys;
}

/** Whether a default says that there is none. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

const rows = tableBelow("docs/configuration.md", "Configuration").map(
  ([keys = "", values = ""]) => ({ keys: keysIn(keys), defaults: namedIn(values) }),
);
// JSON Schema also has true and false for schemas; zod writes none here.
const schema = z.toJSONSchema(configurationSchema, { io: "input" }) as JsonSchema;
const keys = keysOf(schema).filter(([path]) => !["$schema", "submissions.keys[]"].includes(path));

describe("docs/configuration.md", () => {
  it("has every key of the configuration, once, and no other", () => {
    expect(rows.flatMap((row) => row.keys).toSorted()).toEqual(
      keys.map(([path]) => path).toSorted(),
    );
  });

  it.each(keys.filter(([, value]) => !isNothing(value)))(
    "says the default of %s",
    (path, value) => {
      const row = rows.find((one) => one.keys.includes(path));
      const told = row?.defaults[row.keys.indexOf(path)];
      expect(told).toBe(typeof value === "object" ? '{ "type": "none" }' : String(value));
    },
  );
});
