import { listed, typeInWords } from "./assertions.ts";
import { areEqual, listOf, memberOf, type Node, nodeOf } from "./json.ts";
import { referenceOf, resolve, typesOf, type VersionedSchema, valuesOf } from "./side.ts";

export interface AlternativePairs {
  readonly pairs: readonly { readonly before: VersionedSchema; readonly after: VersionedSchema }[];
  /** The alternatives that have no counterpart in the other version. */
  readonly alone: {
    readonly before: readonly VersionedSchema[];
    readonly after: readonly VersionedSchema[];
  };
}

/**
 * Finds the earlier version of each alternative: an equal alternative, or an alternative with the same name or kind.
 */
export function pairAlternatives(
  old: readonly VersionedSchema[],
  current: readonly VersionedSchema[],
): AlternativePairs {
  const counterparts = new Map<VersionedSchema, VersionedSchema>();
  for (const identity of [textOf, nameOf, kindOf])
    for (const after of current.filter((form) => !counterparts.has(form))) {
      const taken = new Set(counterparts.values());
      const sought = identity(after);
      const before = old.find((form) => !taken.has(form) && identity(form) === sought);
      if (sought !== null && before !== undefined) counterparts.set(after, before);
    }
  const paired = new Set(counterparts.values());
  return {
    pairs: Array.from(counterparts, ([after, before]) => ({ before, after })),
    alone: {
      before: old.filter((form) => !paired.has(form)),
      after: current.filter((form) => !counterparts.has(form)),
    },
  };
}

function textOf({ schema }: VersionedSchema): string | null {
  return JSON.stringify(schema) ?? null;
}

function nameOf({ schema }: VersionedSchema): string | null {
  return referenceOf(schema);
}

function kindOf(form: VersionedSchema): string {
  const { node } = resolve(form);
  return JSON.stringify([typesOf(node)?.map(jsonType), constantsOf(node)]);
}

export function inWords(form: VersionedSchema): string {
  const name = referenceOf(form.schema);
  if (name !== null) return `\`${name}\``;
  const { node } = resolve(form);
  const values = valuesOf(node);
  return values === null
    ? (typesOf(node)?.map(typeInWords).join(" or ") ?? "of another form")
    : listed(values);
}

/**
 * Reports whether no value can match both alternatives: their types differ, or the values of a field that both require.
 */
export function isDisjoint(one: Node, other: Node): boolean {
  const [types, others] = [typesOf(one), typesOf(other)].map((all) => all?.map(jsonType));
  if (types !== undefined && others !== undefined && !types.some((type) => others.includes(type)))
    return true;
  const [values, otherValues] = [constantsOf(one), constantsOf(other)];
  return Object.entries(values).some(([name, allowed]) => {
    const otherAllowed = memberOf(otherValues, name);
    return (
      Array.isArray(otherAllowed) &&
      !allowed.some((value) => otherAllowed.some((another) => areEqual(value, another)))
    );
  });
}

function jsonType(type: string): string {
  return type === "integer" ? "number" : type;
}

/**
 * Returns the listed values of the required fields in an object schema, for fields whose schema lists the allowed
 * values.
 */
function constantsOf({ properties, required }: Node): Readonly<Record<string, readonly unknown[]>> {
  const entries = Object.entries(nodeOf(properties)).flatMap(([name, schema]) => {
    const values = listOf(required).includes(name) ? valuesOf(nodeOf(schema)) : null;
    return values === null ? [] : [[name, values] as const];
  });
  return Object.fromEntries(entries);
}
