import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  listOf,
  membersOf,
  textOf,
} from "../document/references.ts";
import { ImportFault } from "../report.ts";
import { numbersOf, textsOf } from "./keywords.ts";
import type { Field, SchemaNode, Side } from "./model.ts";
import type { Place, SchemaReader } from "./read-schema.ts";
import { singular } from "./singular.ts";

/** Maximum number of fields of an object. Real interfaces have at most 300; more fields are a mistake or an attack. */
const MAX_FIELDS = 2_000;

/**
 * The keyword that marks a list whose items are separate XML elements in a WSDL. XML has no empty lists: answers
 * always contain the list, and requests omit a list without items.
 */
export const REPEATED_ELEMENT = "x-repeated";

/** Reads an object. An object without named fields is a map. */
export function readObject(reader: SchemaReader, schema: JsonObject, place: Place): SchemaNode {
  const { additionalProperties } = schema;
  const members = membersOf(schema.properties);
  if (members.length > MAX_FIELDS)
    throw new ImportFault(`has more than ${MAX_FIELDS} fields`, place.pointer);
  if (
    members.length === 0 &&
    listOf(schema.required).length === 0 &&
    additionalProperties !== false
  )
    return {
      type: "map",
      value: othersOf(reader, schema, place) ?? { type: "anything" },
      ...numbersOf({ minProperties: schema.minProperties, maxProperties: schema.maxProperties }),
    };
  if (schema.minProperties !== undefined || schema.maxProperties !== undefined)
    reader.loosen(place, "The number of fields is not checked.");
  return {
    type: "object",
    fields: fieldsOf(reader, schema, members, place),
    others:
      othersOf(reader, schema, place) ??
      (place.side === "answer" || additionalProperties === true || isObject(additionalProperties)
        ? "open"
        : "closed"),
    needsOneOf: [],
  };
}

/** Returns the schema of undeclared fields; undefined if undeclared fields may have any value or are not allowed. */
function othersOf(
  reader: SchemaReader,
  { additionalProperties }: JsonObject,
  place: Place,
): SchemaNode | undefined {
  if (!isObject(additionalProperties) || Object.keys(additionalProperties).length === 0)
    return undefined;
  return reader.read(additionalProperties, {
    ...insideOf(place),
    pointer: appendToPointer(place.pointer, "additionalProperties"),
    title: `${singular(place.title)} value`,
  });
}

function fieldsOf(
  reader: SchemaReader,
  schema: JsonObject,
  members: readonly (readonly [string, unknown])[],
  place: Place,
): readonly Field[] {
  const required = listOf(schema.required).filter((name) => typeof name === "string");
  const declared = members.flatMap(([name, value]): readonly Field[] => {
    const pointer = appendToPointer(place.pointer, "properties", name);
    if (name === "__proto__") {
      reader.loosen(
        { ...place, pointer },
        "The field __proto__ is left out: no JSON reader keeps it.",
      );
      return [];
    }
    if (isOfOtherSide(reader.document, value, pointer, place.side)) return [];
    const title = `${place.title} ${name}`;
    const schema = reader.read(value, { ...insideOf(place), pointer, title });
    const isRepeated = isObject(value) && value[REPEATED_ELEMENT] === true;
    return [
      {
        name,
        schema: isRepeated && place.side === "request" ? notEmpty(schema) : schema,
        required: required.includes(name) || (isRepeated && place.side === "answer"),
        description: fieldDescription(reader.document, value, pointer),
      },
    ];
  });
  const names = new Set(members.map(([name]) => name));
  const beside = [...new Set(required)].filter((name) => !names.has(name));
  const other = beside.length === 0 ? undefined : othersOf(reader, schema, place);
  return [
    ...declared,
    ...beside.map(
      (name): Field => ({
        name,
        schema: other ?? { type: "anything" },
        required: true,
        description: "",
      }),
    ),
  ];
}

/**
 * Returns the place of a field. Parts of a form may be files, but fields inside these parts may not, because they are
 * sent as JSON.
 */
function insideOf({ files, ...place }: Place): Place {
  return files === "parts" ? { ...place, files: "part" } : place;
}

function notEmpty(node: SchemaNode): SchemaNode {
  return node.type === "list" ? { ...node, minItems: Math.max(1, node.minItems ?? 0) } : node;
}

/** Reports whether a field must be omitted: a `readOnly` field in a request, or a `writeOnly` field in an answer. */
function isOfOtherSide(
  document: ImportDocument,
  value: unknown,
  pointer: string,
  side: Side,
): boolean {
  const flag = side === "request" ? "readOnly" : "writeOnly";
  return isObject(value) && sideFlagOf(document, value, pointer, flag) === true;
}

/** Returns the flag `readOnly` or `writeOnly` of a schema, or of the schemas of which it is composed. */
function sideFlagOf(
  document: ImportDocument,
  schema: JsonObject,
  pointer: string,
  flag: "readOnly" | "writeOnly",
  seen = new Set<JsonObject>(),
): boolean | undefined {
  const own = schema[flag];
  if (typeof own === "boolean") return own;
  // A schema that is composed of itself is refused when it is read.
  if (seen.has(schema)) return undefined;
  seen.add(schema);
  const { $ref } = schema;
  const target = typeof $ref === "string" ? [document.target($ref, pointer).value] : [];
  return (
    [...target, ...listOf(schema.allOf).filter(isObject)]
      .map((part) => sideFlagOf(document, part, pointer, flag, seen))
      // If a child schema redefines a field, `mergeAllOf` puts the child's definition last, and the last definition
      // counts.
      .findLast((found) => found !== undefined)
  );
}

/** Returns the description of a field: the field's own texts, or the texts of the schema to which the field refers. */
export function fieldDescription(
  document: ImportDocument,
  value: unknown,
  pointer: string,
): string {
  if (!isObject(value)) return "";
  /** Adds the texts of the referenced schema, except if this schema becomes a separate type with these texts. */
  const whole = (schema: JsonObject): JsonObject => {
    const referred = document.follow(schema, pointer).value;
    return becomesType(referred) ? schema : { ...referred, ...schema };
  };
  const alternatives = (schemas: unknown): unknown =>
    Array.isArray(schemas)
      ? schemas.filter(isObject).map((one) => {
          const { $ref: _reference, ...inside } = whole(one);
          return inside.description === undefined ? one : inside;
        })
      : schemas;
  const { anyOf, items, oneOf, ...texts } = whole(value);
  const own = textOf(texts.description) ?? "";
  const ofItem = isObject(items) ? textOf(whole(items).description) : undefined;
  const inside = ofItem === undefined || own.includes(ofItem) ? "" : `Each item: ${ofItem}`;
  const description = [own, inside].filter((text) => text !== "").join("\n");
  return textsOf({ ...texts, anyOf: alternatives(anyOf), oneOf: alternatives(oneOf) }, description);
}

/** Reports whether a schema becomes a named type. The schema's texts are then in the comment of this type. */
function becomesType({ allOf, anyOf, enum: values, oneOf, properties }: JsonObject): boolean {
  return [allOf, anyOf, oneOf, properties, values].some((member) => member !== undefined);
}
