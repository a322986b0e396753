import * as z from "zod/mini";
import { namedRules, type RuleName } from "../contract/named-rules.ts";
import { boundedArray, boundedRecord } from "./bounded.ts";
import { keyword } from "./keyword.ts";

/** The rules of JSON Schema for a list. */
export interface ListRules {
  readonly minItems?: number;
  readonly maxItems?: number;
  /** True if no two items may be equal. Two objects with the same fields are equal, as in JSON Schema. */
  readonly uniqueItems?: boolean;
}

/** Creates the schema of a list with the rules of JSON Schema. */
export function list<Item>(
  item: z.ZodMiniType<Item, Item>,
  { maxItems, minItems, uniqueItems = false }: ListRules = {},
): z.ZodMiniType<Item[], Item[]> {
  return boundedArray(item).check(
    ...(minItems === undefined ? [] : [z.minLength(minItems)]),
    ...(maxItems === undefined ? [] : [z.maxLength(maxItems)]),
    ...keyword(uniqueItems || undefined, () => ({
      name: "uniqueItems",
      holds: (items: readonly Item[]) => new Set(items.map(canonicalText)).size === items.length,
      code: "REPEATED",
      message: "must not have the same item twice",
    })),
  );
}

/** The rules of JSON Schema for a map. */
export interface MapRules {
  readonly minProperties?: number;
  readonly maxProperties?: number;
  /** The pattern that every name must match. */
  readonly names?: RegExp;
}

/** Creates the schema of an object with any field names and values of one type. */
export function map<Value>(
  value: z.ZodMiniType<Value, Value>,
  { maxProperties, minProperties, names }: MapRules = {},
): z.ZodMiniType<Record<string, Value>, Record<string, Value>> {
  const count = (values: object): number => Object.keys(values).length;
  return boundedRecord(value).check(
    ...keyword(minProperties, (least) => ({
      name: "minProperties",
      holds: (values: object) => count(values) >= least,
      code: "LENGTH",
      message: `must have at least ${least} fields`,
    })),
    ...keyword(maxProperties, (most) => ({
      name: "maxProperties",
      holds: (values: object) => count(values) <= most,
      code: "LENGTH",
      message: `must have at most ${most} fields`,
    })),
    ...keyword(names, (pattern) => ({
      name: "propertyNames",
      value: { type: "string", pattern: pattern.source },
      // The fault points to the map, because a name that does not match may be personal data.
      holds: (values: object) => Object.keys(values).every((name) => pattern.test(name)),
      code: "FORMAT",
      message: `must have only fields whose names match the pattern ${pattern.source}`,
    })),
  );
}

/** Returns a JSON value as text. Equal values give the same text, regardless of the order of their fields. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : inner,
  );
}

/**
 * Marks a list that a query, path or header writes as one text with commas: `?a=1,2`. An unmarked list in a query
 * repeats the parameter: `?a=1&a=2`. Items must not contain a comma, or a space at an end. Give the list a
 * `minLength` of 1, because an empty list cannot be written.
 */
export function joined<Item extends string | number | boolean>(
  list: z.ZodMiniType<Item[], Item[]>,
): z.ZodMiniType<Item[], Item[]> {
  return list.check(
    z.refine((items) => items.every((item) => isItem(String(item))), {
      error: namedRules.joinedItems.message,
      params: { code: namedRules.joinedItems.code },
    }),
    z.meta({ "x-joined": true, "x-rules": [{ path: [], rule: "joinedItems" satisfies RuleName }] }),
  );
}

function isItem(text: string): boolean {
  return text === text.trim() && !text.includes(",");
}
