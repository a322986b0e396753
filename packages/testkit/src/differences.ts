import { isDeepStrictEqual } from "node:util";
import { escapePointer } from "@insurance-gateway/core/runtime";

/** A difference between two values. An undefined side means that the value is missing. */
export interface Difference {
  /** The JSON Pointer of the different value. */
  readonly pointer: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** Returns the innermost differences of two JSON values. Lists of different lengths differ as a whole. */
export function differencesOf(was: unknown, is: unknown, pointer = ""): readonly Difference[] {
  if (Object.is(was, is)) return [];
  const areLists = Array.isArray(was) && Array.isArray(is);
  const areObjects = isFields(was) && isFields(is);
  if (!areObjects && !(areLists && was.length === is.length)) return [{ pointer, was, is }];
  const before = new Map(Object.entries(was));
  const after = new Map(Object.entries(is));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) =>
    differencesOf(before.get(name), after.get(name), `${pointer}/${escapePointer(name)}`),
  );
}

/** Returns the scalar values in a value, with their JSON Pointers. */
export function leavesOf(
  value: unknown,
  pointer = "",
): readonly (readonly [pointer: string, leaf: unknown])[] {
  if (typeof value !== "object" || value === null) return [[pointer, value]];
  return Object.entries(value).flatMap(([name, inner]) =>
    leavesOf(inner, `${pointer}/${escapePointer(name)}`),
  );
}

/** Returns a JSON Pointer without the indexes of list items. */
export function fieldOf(pointer: string): string {
  return pointer.replaceAll(/\/\d+(?=\/|$)/g, "/*");
}

/** Reports whether a value is an object with fields, and no list. */
export function isFields(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether two values are equal as JSON, even if only one has a prototype. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other) || differencesOf(one, other).length === 0;
}

/** Returns a value as a receiver reads it from JSON. */
export function afterJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
