import type { Difference } from "./finding.ts";
import type { Node } from "./json.ts";
import { includesType, typeOf, valuesOf } from "./side.ts";

/**
 * Removes differences that have no effect, because the schema lists its values: a limit that is added or removed has
 * no effect if all listed values meet the limit.
 */
export function withoutIneffective(
  differences: readonly Difference[],
  before: Node,
  after: Node,
): readonly Difference[] {
  const isUnnoticed = ({ effect, keyword }: Difference) =>
    (effect === "narrower" && areMet(keyword, valuesOf(before), after)) ||
    (effect === "wider" && areMet(keyword, valuesOf(after), before));
  return differences.filter((found) => !isUnnoticed(found));
}

function areMet(keyword: string, values: readonly unknown[] | null, { [keyword]: limit }: Node) {
  const check = limitChecks[keyword];
  return values !== null && check !== undefined && values.every((value) => check(value, limit));
}

/** Functions that report whether a value meets a limit. Limits on strings and numbers accept values of other types. */
const limitChecks: Readonly<Record<string, (value: unknown, limit: unknown) => boolean>> = {
  type: (value, limit) => includesType([limit].flat().map(String), typeOf(value)),
  pattern: (value, limit) => typeof value !== "string" || matches(String(limit), value),
  minLength: (value, limit) => typeof value !== "string" || lengthOf(value) >= Number(limit),
  maxLength: (value, limit) => typeof value !== "string" || lengthOf(value) <= Number(limit),
  minimum: (value, limit) => typeof value !== "number" || value >= Number(limit),
  maximum: (value, limit) => typeof value !== "number" || value <= Number(limit),
  exclusiveMinimum: (value, limit) => typeof value !== "number" || value > Number(limit),
  exclusiveMaximum: (value, limit) => typeof value !== "number" || value < Number(limit),
};

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    // An invalid pattern proves nothing.
    return false;
  }
}

/** JSON Schema counts characters instead of UTF-16 units. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}
