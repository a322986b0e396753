import { annotations } from "./annotations.ts";
import { areEqual, isNode, listOf, type Node, nodeOf } from "./json.ts";

/** The named schemas of one version of a contract. */
export interface Schemas {
  readonly version: "before" | "after";
  readonly byName: Node;
}

/** A schema together with its version of the contract. */
export interface VersionedSchema {
  /** A JSON Schema 2020-12: an object, true or false. */
  readonly schema: unknown;
  readonly schemas: Schemas;
}

/** A schema whose reference at the top was followed. References inside the schema were not followed. */
export interface Resolved {
  readonly node: Node;
  readonly schemas: Schemas;
  /** True if the schema was a reference. */
  readonly isReferred: boolean;
}

/** A contract that cannot be compared. The message states the reason. */
export class UnreadableContract extends Error {
  override readonly name = "UnreadableContract";
}

/** The prefix of a reference to a named schema. */
const REFERENCE_PREFIX = "#/components/schemas/";

/** Returns the name of the schema to which a schema refers; null for a schema without a reference. */
export function referenceOf(schema: unknown): string | null {
  const { $ref } = nodeOf(schema);
  return typeof $ref === "string" ? schemaNameOf($ref) : null;
}

/**
 * Returns the name of the schema in a reference.
 * @throws UnreadableContract for a reference to anything else
 */
export function schemaNameOf(reference: string): string {
  if (reference.startsWith(REFERENCE_PREFIX)) return reference.slice(REFERENCE_PREFIX.length);
  throw new UnreadableContract(
    `The reference ${reference} does not begin with ${REFERENCE_PREFIX}.`,
  );
}

/**
 * Follows a schema's reference, and an `allOf` with one member, which is equivalent.
 * @throws UnreadableContract for a reference to a missing schema or to itself
 */
export function resolve({ schema, schemas }: VersionedSchema): Resolved {
  const passed: string[] = [];
  let node = asNode(schema);
  while ("$ref" in node || "allOf" in node) {
    const { $ref, allOf, ...beside } = node;
    const isPlain = Object.keys(beside).every((keyword) => Object.hasOwn(annotations, keyword));
    const name = referenceOf(node);
    if (name !== null && allOf === undefined) {
      const target = targetOf(name, schemas, passed);
      passed.push(name);
      // Keywords beside a reference also apply. A description beside a reference replaces that of its target.
      if (!isPlain) node = { allOf: [{ $ref }, beside] };
      else node = Object.keys(beside).length === 0 ? target : { ...target, ...beside };
    } else if (name === null && isPlain && listOf(allOf).length === 1)
      node = { ...asNode(listOf(allOf)[0]), ...beside };
    else break;
  }
  return { node, schemas, isReferred: passed.length > 0 };
}

function targetOf(name: string, { byName, version }: Schemas, passed: readonly string[]): Node {
  if (passed.includes(name))
    throw new UnreadableContract(`The schema ${name} refers only to itself.`);
  if (Object.hasOwn(byName, name)) return asNode(byName[name]);
  throw new UnreadableContract(`The contract ${version} the change has no schema ${name}.`);
}

/** Returns a schema as an object, also for the schemas true and false. */
function asNode(schema: unknown): Node {
  if (schema === false) return { not: {} };
  return isNode(schema) ? schema : {};
}

/** Reports whether a schema allows no value. */
export function isNever({ enum: values, not }: Node): boolean {
  return (
    not === true ||
    (isNode(not) && Object.keys(not).length === 0) ||
    (Array.isArray(values) && values.length === 0)
  );
}

/** Returns the types of a schema, from its `type` or its values; null if any type is allowed. */
export function typesOf({ const: only, enum: values, type }: Node): readonly string[] | null {
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.map(String);
  const listed = Array.isArray(values) ? values : only === undefined ? null : [only];
  return listed === null ? null : [...new Set(listed.map(typeOf))];
}

/** Returns the type of a value in JSON Schema. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** Returns the values that a schema lists; null without a list. */
export function valuesOf({ const: only, enum: values }: Node): readonly unknown[] | null {
  if (!Array.isArray(values)) return only === undefined ? null : [only];
  return only === undefined ? values : values.filter((value: unknown) => areEqual(value, only));
}

/** Reports whether a list of types includes a type. A whole number is also a number. */
export function includesType(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}
