import { isJson } from "@insurance-gateway/core/runtime";
import { fieldOf, leavesOf } from "./differences.ts";

interface NumberToken {
  readonly token: string;
  readonly index: number;
}

/** Returns the numbers in a JSON text. If several items of a list have a field, only the first number is returned. */
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
