import ts from "typescript";
import type { JsonSchema } from "../document/open-api.ts";

/** A JSON Schema or a part of a schema. */
export type Node = JsonSchema & {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
};

export function asNode(value: unknown): Node {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/**
 * Returns all alternatives of a schema, with references resolved.
 * @param document - the schema that contains the references
 */
export function branchesOf(document: unknown, node: Node): readonly Node[] {
  const { $ref, allOf, anyOf, oneOf, type } = node;
  if (typeof $ref === "string") return branchesOf(document, referred(document, $ref));
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives))
    // The type of an answer contains only the known alternatives.
    return alternatives
      .filter((each) => asNode(each)["x-other"] !== true)
      .flatMap((each) => branchesOf(document, asNode(each)));
  if (Array.isArray(allOf))
    return [joined(allOf.flatMap((each) => branchesOf(document, asNode(each))))];
  if (Array.isArray(type)) return type.map((each: unknown) => asNode({ ...node, type: each }));
  return [node];
}

function referred(document: unknown, reference: string): Node {
  let found: unknown = document;
  for (const key of reference.split("/").slice(1))
    found = Object(found)[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  return asNode(found);
}

/** Merges the schemas of an intersection of objects into one object schema with all properties. */
function joined(nodes: readonly Node[]): Node {
  return asNode({
    type: "object",
    properties: Object.assign({}, ...nodes.map(({ properties }) => properties)),
    required: nodes.flatMap(({ required }) => required ?? []),
  });
}

/** Returns all alternatives of a type, without the `undefined` of an optional part. */
export function membersOf(checker: ts.TypeChecker, type: ts.Type): readonly ts.Type[] {
  const base = checker.getBaseConstraintOfType(type) ?? type;
  const members = base.isUnion() ? base.types : [base];
  return members.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);
}

/**
 * Describes the values that a type allows, without the content of its lists and objects, as a text that can be compared
 * with the schema's.
 */
export function valuesOfType(checker: ts.TypeChecker, members: readonly ts.Type[]): string {
  const literals = members.flatMap((member) => (member.isStringLiteral() ? [member.value] : []));
  const otherValues = members.map((member): string | null => {
    const { flags } = member;
    if (flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return ANYTHING;
    if (flags & ts.TypeFlags.Null) return "null";
    if (member.isStringLiteral()) return null;
    if (member.isNumberLiteral()) return String(member.value);
    if (flags & ts.TypeFlags.BooleanLiteral) return checker.typeToString(member);
    if (flags & ts.TypeFlags.NumberLike) return "number";
    if (flags & ts.TypeFlags.StringLike) return "string";
    // `OpenEnum<…>` contains this intersection for unknown values.
    if (member.isIntersection() && member.types.some((each) => each.flags & ts.TypeFlags.String))
      return OTHERS;
    if (checker.isArrayType(member) || checker.isTupleType(member)) return "list";
    return "object";
  });
  return inWords([...otherValues.filter((value) => value !== null), ...literals.map(quoted)]);
}

export function valuesOfSchema(branches: readonly Node[]): string {
  const words = branches.flatMap((branch): readonly string[] => {
    const { const: value, enum: values, type } = branch;
    const knownValues = branch["x-extensible-enum"];
    if (Array.isArray(knownValues)) return [...knownValues.map(quoted), OTHERS];
    if (Array.isArray(values)) return values.map(written);
    if (value !== undefined) return [written(value)];
    if (type === "boolean") return ["true", "false"];
    if (type === "integer") return ["number"];
    if (type === "array") return ["list"];
    return typeof type === "string" ? [type] : [ANYTHING];
  });
  return inWords(words);
}

const ANYTHING = "anything";
const OTHERS = "other strings";

function written(value: unknown): string {
  return typeof value === "string" ? quoted(value) : String(value);
}

function quoted(value: unknown): string {
  return JSON.stringify(value);
}

function inWords(words: readonly string[]): string {
  const all = new Set(words);
  // The compiler also reduces `"A" | string` to `string`.
  const isIncluded = (word: string): boolean =>
    (all.has(ANYTHING) && word !== ANYTHING) ||
    (all.has("string") && (word === OTHERS || word.startsWith('"'))) ||
    (all.has("number") && /^-?\d/.test(word));
  return (
    [...all]
      .filter((word) => !isIncluded(word))
      .toSorted()
      .join(" | ") || "nothing"
  );
}

/** Reports whether a node is a file, which has separate rules and no JSON type. */
export function isFile(node: Node): boolean {
  return node["x-file"] !== undefined;
}
