import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  namesIn,
  objectAt,
} from "../document/references.ts";
import { ImportFault, type LossReport } from "../report.ts";
import {
  descriptionOf,
  isNullable,
  isScalar,
  knownWords,
  numbersOf,
  soleReference,
  typesOf,
  uncheckedIn,
} from "./keywords.ts";
import { mergeAllOf } from "./merge-all-of.ts";
import type { Definition, Home, ObjectNode, SchemaNode, Side } from "./model.ts";
import { leafOf, nullableOf } from "./read-leaf.ts";
import { readObject } from "./read-object.ts";
import { childrenOf, readUnion } from "./read-union.ts";
import { singular } from "./singular.ts";

/** The place of a schema. */
export interface Place {
  readonly side: Side;
  readonly pointer: string;
  /** The words from which a name is derived if the schema needs one. */
  readonly title: string;
  readonly home: Home;
  /** The operation for which the schema is read, `GET /policies`. */
  readonly operation: string;
  /** The place where files are allowed: in the parts of this form, or as this part of a form. */
  readonly files?: "parts" | "part";
}

/** Reads the schemas of one document. It reads each schema of `components` once for requests and once for answers. */
export interface SchemaReader {
  /** @throws ImportFault for a schema that cannot be declared */
  read(schema: unknown, place: Place): SchemaNode;
  /** Reads a schema as a named definition, regardless of its type. */
  define(schema: unknown, place: Place): Definition;
  /** Makes a named definition of a schema. */
  name(node: SchemaNode, place: Place, description: string): Definition;
  /** Reports a rule of the document that the package does not check. */
  loosen(place: Place, effect: string): void;
  readonly document: ImportDocument;
  readonly report: LossReport;
}

/** A schema that is being read. */
interface OpenSchema {
  readonly definition: Definition;
  /** True if the reader reached the schema again from inside the schema. */
  isClosed: boolean;
}

/** Maximum depth of inline schemas; a schema with a greater depth is hostile. */
const MAX_INLINE_LEVELS = 60;
/** Maximum length of a chain of schemas that refer to each other; a longer chain would overflow the stack. */
const MAX_SCHEMA_CHAIN = 300;

export function schemaReader(document: ImportDocument, report: LossReport): SchemaReader {
  /** The result for each referenced schema, by side and place. */
  const components = new Map<string, SchemaNode>();
  /** The number of nested references in progress. */
  let open = 0;
  /** The schemas with `allOf` that are being read, by side. Such a schema may be composed of itself. */
  const composed = new Map<JsonObject, Partial<Record<Side, OpenSchema>>>();

  const reader: SchemaReader = {
    document,
    report,
    read,
    loosen,
    define(schema, place) {
      const node = read(schema, place);
      const description = isObject(schema) ? descriptionOf(schema) : "";
      return node.type === "named" ? node.definition : reader.name(node, place, description);
    },
    name: (node, { home, side, title }, description) => ({ side, title, home, node, description }),
  };
  return reader;

  function read(value: unknown, place: Place): SchemaNode {
    if (value === true || value === undefined) return { type: "anything" };
    if (value === false) throw new ImportFault("accepts no value", place.pointer);
    if (place.pointer.split("/").length > MAX_INLINE_LEVELS)
      throw new ImportFault(`is nested more than ${MAX_INLINE_LEVELS} levels deep`, place.pointer);
    const schema = objectAt(value, place.pointer);
    const reference = soleReference(schema);
    if (reference === undefined || inherits(schema, reference, place))
      return schema.allOf === undefined ? readInline(schema, place) : readComposed(schema, place);
    const node = readComponent(reference, place);
    return schema.nullable === true ? nullableOf(node) : node;
  }

  /** Reports whether a schema of `components` extends another schema instead of being only another name for it. */
  function inherits(schema: JsonObject, reference: string, { pointer }: Place): boolean {
    if (schema.allOf === undefined || !/^\/components\/schemas\/[^/]+$/.test(pointer)) return false;
    const parent = document.target(reference, pointer);
    return childrenOf(document, parent.value, parent.pointer) !== undefined;
  }

  function readComponent(reference: string, place: Place): SchemaNode {
    const { pointer, value } = document.target(reference, place.pointer);
    const key = `${place.side} ${place.files ?? ""} ${pointer}`;
    const known = components.get(key);
    if (known !== undefined) return known;
    const names = namesIn(pointer);
    const isShared = names[0] === "components" && names.length === 3;
    const title = isShared ? (names[2] ?? "") : place.title;
    const home = isShared ? { id: pointer, title } : place.home;
    const definition: Definition = {
      side: place.side,
      title,
      home,
      node: { type: "anything" },
      description: descriptionOf(value),
    };
    const named: SchemaNode = { type: "named", definition };
    const before = new Set(components.keys());
    if (open === MAX_SCHEMA_CHAIN)
      throw new ImportFault(
        `is at the end of a chain of more than ${MAX_SCHEMA_CHAIN} schemas that refer to each other`,
        pointer,
      );
    components.set(key, named);
    open += 1;
    const inner: Place = { ...place, pointer, title, home };
    try {
      const node = readInheritance(value, inner) ?? read(value, inner);
      if (node.type === "named" && node.definition === definition)
        throw new ImportFault("is a reference that leads back to itself", pointer);
      definition.node = componentContent(node, definition);
    } catch (error) {
      // The results of nested schemas are discarded, because nested schemas may contain the invalid part.
      for (const added of components.keys()) if (!before.has(added)) components.delete(added);
      throw error;
    } finally {
      open -= 1;
    }
    // A schema without fields and alternatives needs no name unless the schema contains itself.
    if (needsName(definition.node) || holds(definition.node, definition)) return named;
    components.set(key, definition.node);
    return definition.node;
  }

  /** Reads a schema whose `discriminator` lists its children as a union of the children. */
  function readInheritance(schema: JsonObject, place: Place): SchemaNode | undefined {
    const children = childrenOf(document, schema, place.pointer);
    if (children === undefined) return undefined;
    const { discriminator: _by, ...own } = schema;
    const title = `${place.title} base`;
    return readUnion(reader, children(own), { ...place, title }, () =>
      read(own, { ...place, title }),
    );
  }

  /**
   * Reads a schema that may contain itself. A schema that contains itself becomes a definition that refers to itself.
   */
  function readComposed(schema: JsonObject, place: Place): SchemaNode {
    const { home, side, title } = place;
    const circles = composed.get(schema) ?? {};
    const known = circles[side];
    if (known !== undefined) {
      known.isClosed = true;
      return { type: "named", definition: known.definition };
    }
    const description = descriptionOf(schema);
    const definition: Definition = { side, title, home, node: { type: "anything" }, description };
    const circle: OpenSchema = { definition, isClosed: false };
    composed.set(schema, { ...circles, [side]: circle });
    try {
      const node = readInline(schema, place);
      if (!circle.isClosed) return node;
      definition.node = node.type === "named" ? node.definition.node : node;
      return { type: "named", definition };
    } finally {
      composed.set(schema, circles);
    }
  }

  function readInline(schema: JsonObject, place: Place): SchemaNode {
    const { further, overridden, schema: merged } = mergeAllOf(document, schema, place.pointer);
    if (further.length > 0)
      report.add({
        operation: place.operation,
        pointer: place.pointer,
        effect: "Only the first of several sets of alternatives is declared.",
        // A closed request refuses the fields of the sets of alternatives that are not declared.
        severity: place.side === "request" ? "lost" : "loosened",
      });
    if (overridden.length > 0)
      loosen(place, `Only the last of several rules is checked: ${overridden.join(", ")}.`);
    reportUnchecked(merged, place);
    const node = nodeOf(merged, place);
    return isNullable(merged) ? nullableOf(node) : node;
  }

  function nodeOf(schema: JsonObject, place: Place): SchemaNode {
    if (schema.const !== undefined) return enumOf([schema.const], place);
    if (Array.isArray(schema.enum)) return enumOf(schema.enum, place);
    const known = knownWords(schema);
    if (known.length > 1) return { type: "enum", values: known, open: true };
    if (Array.isArray(schema.oneOf) || Array.isArray(schema.anyOf)) {
      const rest = readUnion(reader, schema, place, (base) => nodeOf(base, place));
      return rest.type === "union" ? asNamed(rest, place, schema) : rest;
    }
    const types = typesOf(schema);
    const [type] = types;
    if (types.length > 1)
      return {
        type: "union",
        mode: "any",
        alternatives: types.map((one) => nodeOf({ ...schema, type: one }, place)),
      };
    if (type === "object") return asNamed(readObject(reader, schema, place), place, schema);
    if (type === "array") {
      const rules = { minItems: schema.minItems, maxItems: schema.maxItems };
      const item = read(schema.items, {
        ...place,
        pointer: appendToPointer(place.pointer, "items"),
        title: singular(place.title),
      });
      return {
        type: "list",
        item,
        ...numbersOf(rules),
        ...(schema.uniqueItems === true ? { uniqueItems: true } : {}),
      };
    }
    return leafOf(schema, type, place, loosen);
  }

  function enumOf(values: readonly unknown[], place: Place): SchemaNode {
    const scalars = values.filter(isScalar);
    const distinct = [...new Set(scalars)];
    if (scalars.length < values.filter((value) => value !== null).length) {
      loosen(place, "A list of allowed values that contains objects or lists is not checked.");
      return { type: "anything" };
    }
    const texts = distinct.every((value) => typeof value === "string");
    const open = place.side === "answer" && texts && distinct.length > 1;
    const node: SchemaNode =
      distinct.length === 0 ? { type: "null" } : { type: "enum", values: distinct, open };
    return values.includes(null) && distinct.length > 0 ? nullableOf(node) : node;
  }

  function asNamed(node: SchemaNode, place: Place, schema: JsonObject): SchemaNode {
    if (!needsName(node)) return node;
    return { type: "named", definition: reader.name(node, place, descriptionOf(schema)) };
  }

  function reportUnchecked(schema: JsonObject, place: Place): void {
    const found = uncheckedIn(schema);
    if (found.length > 0) loosen(place, `The rule ${found.join(", ")} is not checked.`);
  }

  function loosen({ operation, pointer }: Place, effect: string): void {
    report.add({ operation, pointer, effect, severity: "loosened" });
  }
}

/** Returns the content of a component, which must not be a reference to itself. */
function componentContent(node: SchemaNode, definition: Definition): SchemaNode {
  if (node.type !== "named" || node.definition.home.id !== definition.home.id) return node;
  return node.definition.title === definition.title ? node.definition.node : node;
}

function needsName(node: SchemaNode): boolean {
  return (
    node.type === "object" ||
    node.type === "union" ||
    (node.type === "enum" && node.values.length > 1)
  );
}

function holds(node: SchemaNode, definition: Definition, seen = new Set<SchemaNode>()): boolean {
  if (node.type === "named") return node.definition === definition;
  if (seen.has(node)) return false;
  seen.add(node);
  return node.type === "list"
    ? holds(node.item, definition, seen)
    : node.type === "map"
      ? holds(node.value, definition, seen)
      : node.type === "nullable" && holds(node.inner, definition, seen);
}

/** Returns the object inside a schema; undefined if the schema is not an object. */
export function objectIn(node: SchemaNode): ObjectNode | undefined {
  if (node.type === "named") return objectIn(node.definition.node);
  return node.type === "object" ? node : undefined;
}
