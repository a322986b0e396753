import type { Documentation, TypeReference } from "../documentation/documentation.ts";
import { type Direction, differsByDirection } from "./json-schema.ts";
import type { JsonSchema } from "./open-api.ts";
import { mapSubschemas } from "./subschemas.ts";

/** The named schemas of a document. */
export interface Components {
  /** Collects every named type in the schema, and returns the schema with references to the named types. */
  place(schema: JsonSchema, type: TypeReference, direction: Direction): JsonSchema;
  /**
   * Returns the collected schemas, sorted by name. The member `x-direction` states whether a schema is for requests or
   * for answers.
   */
  all(): Readonly<Record<string, JsonSchema>>;
}

/** The collected schemas, and the documentation with their names and descriptions. */
interface Collection {
  readonly types: Documentation["types"];
  readonly schemas: Map<string, JsonSchema>;
  /** The generated names of recursive types without a name, by schema and JSON Pointer. */
  readonly given: Map<string, string>;
}

/** The state of the traversal of one schema. */
interface Traversal {
  readonly collection: Collection;
  readonly direction: Direction;
  readonly root: JsonSchema;
  /** The whole schema as text. */
  readonly text: string;
  /** The definitions to which the schema refers. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** The JSON Pointer of the place in the schema that the traversal has reached. */
  readonly at: string;
  /**
   * The references that replace definitions, by pointer and type, so that each pair of pointer and type is traversed
   * once.
   */
  readonly placed: Map<string, JsonSchema>;
  /** The names of the enclosing types. */
  readonly within: readonly string[];
}

/** Maximum number of enclosing types. A type at a greater depth counts as recursive. */
const MAX_ENCLOSING_TYPES = 50;

/** Creates an empty collection of named schemas. The documentation has the names and descriptions of the schemas. */
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
      // References inside a definition refer to other definitions of the same schema.
      const definitions = $defs ?? {};
      const text = JSON.stringify(schema);
      const traversal = {
        collection,
        direction,
        root,
        text,
        definitions,
        at: "",
        placed: new Map(),
        within: [],
      };
      return placeNode(root, type, traversal);
    },
    all() {
      const collected = [...collection.schemas].filter(([name]) => !Object.hasOwn(reserved, name));
      return Object.fromEntries(collected.toSorted(([one], [other]) => (one < other ? -1 : 1)));
    },
  };
}

function placeNode(marked: JsonSchema, written: TypeReference, traversal: Traversal): JsonSchema {
  const { "x-type": declared, ...node } = marked;
  const type = typeOf(written, declared);
  if (node.$ref !== undefined) return placeReferred(node.$ref, type, traversal);
  if (node.type === "null") return node;
  // The type `X | null` has the name of X.
  if (isNullable(node))
    return mapSubschemas(node, (part) => placeNode(part.schema, type, traversal));
  if (type.name === undefined || hasSingleAlternative(node, type, traversal))
    return placeInside(node, type, traversal);
  const inner = placeInside(node, type, { ...traversal, within: [...traversal.within, type.name] });
  const text = traversal.collection.types[type.name]?.text ?? "";
  const described = text === "" ? inner : { description: text, ...inner };
  return {
    $ref: reference(componentNameOf(type.name, withDirection(described, traversal), traversal)),
  };
}

/** Returns the type that the place of use names, or otherwise the type that the schema's declaration names. */
function typeOf(written: TypeReference, declared: unknown): TypeReference {
  return written.name === undefined && typeof declared === "string" ? { name: declared } : written;
}

/** Marks a schema with its direction if the schema differs between requests and answers. */
function withDirection(schema: JsonSchema, { direction }: Traversal): JsonSchema {
  return differsByDirection(schema) ? { ...schema, "x-direction": direction } : schema;
}

/** Resolves a reference inside a schema. The target of the reference is a recursive type, which needs a name. */
function placeReferred(pointer: string, written: TypeReference, traversal: Traversal): JsonSchema {
  const target =
    pointer === "#" ? traversal.root : traversal.definitions[pointer.replace("#/$defs/", "")];
  if (target === undefined)
    throw new TypeError(`A schema refers to ${pointer}, which it does not contain`);
  const type = typeOf(written, target["x-type"]);
  if (type.name !== undefined && traversal.within.includes(type.name))
    return { $ref: reference(type.name) };
  // Types inside an undocumented type also have no names.
  if (Object.keys(type).length === 0 || traversal.within.length > MAX_ENCLOSING_TYPES)
    return placeNameless(pointer, target, traversal);
  if (type.name === undefined)
    return placeNode(target, type, { ...traversal, within: [...traversal.within, ""] });
  const key = `${pointer} ${type.name}`;
  const known = traversal.placed.get(key) ?? placeNode(target, type, traversal);
  traversal.placed.set(key, known);
  return known;
}

/** Creates a name for a recursive type without documentation. */
function placeNameless(pointer: string, target: JsonSchema, traversal: Traversal): JsonSchema {
  const { given, schemas, types } = traversal.collection;
  const key = `${traversal.direction} ${pointer} ${traversal.text}`;
  const known = given.get(key);
  if (known !== undefined) return { $ref: reference(known) };
  let number = given.size + 1;
  while (schemas.has(`Nested${number}`) || types[`Nested${number}`] !== undefined) number++;
  const name = `Nested${number}`;
  given.set(key, name);
  // The name is registered before the schema is traversed, because the schema refers to itself.
  schemas.set(name, {});
  schemas.set(name, withDirection(placeNode(target, {}, { ...traversal, within: [] }), traversal));
  return { $ref: reference(name) };
}

function placeInside(node: JsonSchema, type: TypeReference, traversal: Traversal): JsonSchema {
  const { properties: documented = {}, meaning = type } =
    traversal.collection.types[type.name ?? ""] ?? {};
  return mapSubschemas(node, ({ keyword, place: name, schema }) => {
    const inner = { ...traversal, at: `${traversal.at}/${name ?? keyword}` };
    if (keyword === "items") return placeNode(schema, meaning.items ?? {}, inner);
    // A value of a map, or an alternative, has the type that its own schema declares.
    if (keyword !== "properties") return placeNode(schema, {}, inner);
    const { labels, text = "", type: written = {} } = documented[name ?? ""] ?? {};
    return {
      ...placeNode(schema, written, inner),
      ...(text === "" ? {} : { description: text }),
      ...(labels === undefined ? {} : { "x-labels": labels }),
    };
  });
}

/** Reports whether a schema's discriminator has only one alternative. Such an alternative has the schema's type. */
function hasSingleAlternative(
  node: JsonSchema,
  { name = "" }: TypeReference,
  { collection: { types } }: Traversal,
): boolean {
  return node["x-discriminator"] !== undefined && types[name]?.meaning === undefined;
}

/** Returns the name of a schema. A type of a request gets another name in an answer if the answer has fewer rules. */
function componentNameOf(
  name: string,
  schema: JsonSchema,
  { at, collection, direction }: Traversal,
): string {
  const { schemas } = collection;
  const candidates = direction === "request" ? [name] : [name, `${name}InAnswer`];
  for (const candidate of candidates) {
    // A recursive type refers to itself by its new name.
    const text = JSON.stringify(schema).replaceAll(
      JSON.stringify(reference(name)),
      JSON.stringify(reference(candidate)),
    );
    const known = schemas.get(candidate);
    if (known !== undefined && JSON.stringify(known) !== text) continue;
    schemas.set(candidate, JSON.parse(text));
    return candidate;
  }
  throw new TypeError(
    `Two different schemas are called ${name} (the second in the ${direction}, at "${at}"): give one another name`,
  );
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

function isNullable({ anyOf = [] }: JsonSchema): boolean {
  return anyOf.length === 2 && anyOf.some(({ type }) => type === "null");
}
