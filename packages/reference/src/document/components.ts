import type { Documentation, TypeReference } from "../documentation/documentation.ts";
import { type Direction, isDirected } from "./json-schema.ts";
import type { JsonSchema } from "./open-api.ts";
import { mapSubschemas } from "./subschemas.ts";

/** Collects the named schemas of a document. */
export interface Components {
  /** Puts every named type in the schema under its name, and gives what stands in its place. */
  place(schema: JsonSchema, type: TypeReference, direction: Direction): JsonSchema;
  /** What was collected, by name, in the order of the names; `x-direction` says which of two schemas is which way's. */
  all(): Readonly<Record<string, JsonSchema>>;
}

/** What was collected, and what its names and descriptions come from. */
interface Collection {
  readonly types: Documentation["types"];
  readonly schemas: Map<string, JsonSchema>;
  /** The names that were given to types without one which hold themselves, by the schema they stand in and their place. */
  readonly given: Map<string, string>;
}

/** Where the placing of one schema is. */
interface Way {
  readonly collection: Collection;
  readonly direction: Direction;
  readonly root: JsonSchema;
  /** The whole schema as text. */
  readonly text: string;
  /** What the schema refers to inside itself. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** The names that it is inside of. */
  readonly within: readonly string[];
}

/** So deep no type is that does not hold itself. */
const LONGEST_WAY = 50;

/** Begins a collection with the documentation that its names and descriptions come from. */
export function createComponents(
  { types }: Documentation,
  reserved: Readonly<Record<string, JsonSchema>>,
): Components {
  const collection: Collection = {
    types,
    schemas: new Map(Object.entries(reserved)),
    given: new Map(),
  };
  return {
    place(schema, type, direction) {
      const { $defs, ...root } = schema;
      // Each name's definitions are the ones of the schema that it was met in.
      const definitions = $defs ?? {};
      const text = JSON.stringify(schema);
      const way = { collection, direction, root, text, definitions, within: [] };
      return placeNode(root, type, way);
    },
    all() {
      const collected = [...collection.schemas].filter(([name]) => !Object.hasOwn(reserved, name));
      return Object.fromEntries(collected.toSorted(([one], [other]) => (one < other ? -1 : 1)));
    },
  };
}

function placeNode(node: JsonSchema, type: TypeReference, way: Way): JsonSchema {
  if (node.$ref !== undefined) return placeReferred(node.$ref, type, way);
  if (node.type === "null") return node;
  // `X | null`: the name is that of what can be null.
  if (isNullable(node)) return mapSubschemas(node, (part) => placeNode(part.schema, type, way));
  if (type.name === undefined) return placeInside(node, type, way);
  const inner = placeInside(node, type, { ...way, within: [...way.within, type.name] });
  const text = way.collection.types[type.name]?.text ?? "";
  const described = text === "" ? inner : { description: text, ...inner };
  return { $ref: reference(named(type.name, directed(described, way), way)) };
}

/** Says of a schema which way it goes, where it means something else the other way. */
function directed(schema: JsonSchema, { direction }: Way): JsonSchema {
  return isDirected(schema) ? { ...schema, "x-direction": direction } : schema;
}

/** What a schema refers to inside itself: a type that holds itself, which therefore has a name or is given one. */
function placeReferred(pointer: string, type: TypeReference, way: Way): JsonSchema {
  if (type.name !== undefined && way.within.includes(type.name))
    return { $ref: reference(type.name) };
  const target = pointer === "#" ? way.root : way.definitions[pointer.replace("#/$defs/", "")];
  if (target === undefined) throw new TypeError(`A schema has no ${pointer}, and refers to it`);
  // Where nothing is written about a type, no name is found inside it either.
  if (Object.keys(type).length === 0 || way.within.length > LONGEST_WAY)
    return placeNameless(pointer, target, way);
  return placeNode(
    target,
    type,
    type.name === undefined ? { ...way, within: [...way.within, ""] } : way,
  );
}

/** Gives a type that holds itself, and that nothing is written about, a name of ours. */
function placeNameless(pointer: string, target: JsonSchema, way: Way): JsonSchema {
  const { given, schemas, types } = way.collection;
  const key = `${way.direction} ${pointer} ${way.text}`;
  const known = given.get(key);
  if (known !== undefined) return { $ref: reference(known) };
  let number = given.size + 1;
  while (schemas.has(`Nested${number}`) || types[`Nested${number}`] !== undefined) number++;
  const name = `Nested${number}`;
  given.set(key, name);
  // The name is registered first, because the schema refers to itself.
  schemas.set(name, {});
  schemas.set(name, directed(placeNode(target, {}, { ...way, within: [] }), way));
  return { $ref: reference(name) };
}

function placeInside(node: JsonSchema, type: TypeReference, way: Way): JsonSchema {
  const { properties: documented = {}, meaning = type } =
    way.collection.types[type.name ?? ""] ?? {};
  return mapSubschemas(node, ({ keyword, place: name, schema }) => {
    if (keyword === "items") return placeNode(schema, meaning.items ?? {}, way);
    // The values of a map, or of further fields, are not the type that has them.
    if (keyword === "additionalProperties") return placeNode(schema, {}, way);
    if (keyword !== "properties") return placeNode(schema, memberOf(schema, meaning, way), way);
    const { text = "", type: written = {} } = documented[name ?? ""] ?? {};
    const placed = placeNode(schema, written, way);
    return text === "" ? placed : { ...placed, description: text };
  });
}

/** One alternative of several: the type that has the same properties, or the only one that there is. */
function memberOf(
  schema: JsonSchema,
  type: TypeReference,
  { collection: { types } }: Way,
): TypeReference {
  const members = type.members ?? [];
  const names = Object.keys(schema.properties ?? {})
    .toSorted()
    .join();
  const fitting = members.find(
    ({ name = "" }) =>
      Object.keys(types[name]?.properties ?? {})
        .toSorted()
        .join() === names,
  );
  return members.length === 0 ? type : (fitting ?? {});
}

/** An answer may repeat a type of the request less strictly; then it has a name of its own. */
function named(name: string, schema: JsonSchema, { collection, direction }: Way): string {
  const { schemas } = collection;
  const candidates = direction === "request" ? [name] : [name, `${name}InAnswer`];
  for (const candidate of candidates) {
    // A type that holds itself refers to itself by the name that it gets.
    const text = JSON.stringify(schema).replaceAll(
      JSON.stringify(reference(name)),
      JSON.stringify(reference(candidate)),
    );
    const known = schemas.get(candidate);
    if (known !== undefined && JSON.stringify(known) !== text) continue;
    schemas.set(candidate, JSON.parse(text));
    return candidate;
  }
  throw new TypeError(`Two different schemas are called ${name}: give one another name`);
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

function isNullable({ anyOf = [] }: JsonSchema): boolean {
  return anyOf.length === 2 && anyOf.some(({ type }) => type === "null");
}
