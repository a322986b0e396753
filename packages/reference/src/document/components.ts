import type { Documentation, TypeReference } from "../documentation/documentation.ts";
import type { Direction } from "./json-schema.ts";
import type { JsonSchema } from "./open-api.ts";

/** Collects the named schemas of a document. */
export interface Components {
  /** Puts every named type in the schema under its name, and gives what stands in its place. */
  place(schema: JsonSchema, type: TypeReference, direction: Direction): JsonSchema;
  /** What was collected, by name, in the order of the names. */
  all(): Readonly<Record<string, JsonSchema>>;
}

/** Begins a collection with the documentation that its names and descriptions come from. */
export function createComponents(
  { types }: Documentation,
  reserved: Readonly<Record<string, JsonSchema>>,
): Components {
  const schemas = new Map(Object.entries(reserved));

  function place(schema: JsonSchema, type: TypeReference, direction: Direction): JsonSchema {
    if (schema.anyOf !== undefined)
      return { ...schema, anyOf: schema.anyOf.map((member) => place(member, type, direction)) };
    if (schema.type === "null") return schema;
    const inner = placeInside(schema, type, direction);
    if (type.name === undefined) return inner;
    const text = types[type.name]?.text ?? "";
    const described = text === "" ? inner : { description: text, ...inner };
    return { $ref: `#/components/schemas/${named(type.name, described, direction)}` };
  }

  function placeInside(schema: JsonSchema, type: TypeReference, direction: Direction): JsonSchema {
    if (schema.items !== undefined)
      return { ...schema, items: place(schema.items, type.items ?? {}, direction) };
    if (schema.properties === undefined) return schema;
    const documented = types[type.name ?? ""]?.properties ?? {};
    const properties = Object.entries(schema.properties).map(([name, property]) => {
      const { text = "", type: written = {} } = documented[name] ?? {};
      const placed = place(property, written, direction);
      return [name, text === "" ? placed : { ...placed, description: text }] as const;
    });
    return { ...schema, properties: Object.fromEntries(properties) };
  }

  /** An answer may repeat a type of the request less strictly; then it has a name of its own. */
  function named(name: string, schema: JsonSchema, direction: Direction): string {
    const candidates = direction === "request" ? [name] : [name, `${name}InAnswer`];
    for (const candidate of candidates) {
      const known = schemas.get(candidate);
      if (known === undefined || JSON.stringify(known) === JSON.stringify(schema)) {
        schemas.set(candidate, schema);
        return candidate;
      }
    }
    throw new TypeError(`Two different schemas are called ${name}: give one another name`);
  }

  return {
    place,
    all: () =>
      Object.fromEntries([...schemas].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}
