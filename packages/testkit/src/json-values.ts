import { isDeepStrictEqual } from "node:util";
import { escapePointer, isJson } from "@insurance-gateway/core/runtime";

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

function isFields(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface NumberToken {
  readonly token: string;
  readonly index: number;
}

/**
 * Returns the numbers in a JSON text. If several items of a list have the same numeric field, only the first of their
 * numbers is returned.
 */
export function numbersIn(text: string, mediaType: string): readonly NumberToken[] {
  if (!isJson(mediaType)) return [];
  // Numbers within strings are ignored.
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d[\d.eE+-]*/g)]
    .map(({ 0: token, index }): NumberToken => ({ token, index }))
    .filter(({ token }) => !token.startsWith('"'));
  const leaves = leavesOf(JSON.parse(text)).filter(([, leaf]) => typeof leaf === "number");
  const isInOrder = tokens.every(({ token }, position) => Number(token) === leaves[position]?.[1]);
  // Field names that are numbers change the order of an object's fields.
  if (!isInOrder) return tokens;
  const byField = new Map(
    leaves.map(([pointer], position) => [fieldOf(pointer), tokens[position]] as const).toReversed(),
  );
  return [...byField.values()].filter((token) => token !== undefined);
}

/** Reports whether two values are equal as JSON, even if only one has a prototype. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other) || differencesOf(one, other).length === 0;
}

export function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

export function shown(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
