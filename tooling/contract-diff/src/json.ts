/** A JSON object with unknown members. */
export type Node = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object; otherwise an object without members. */
export function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {};
}

/** Reports whether a value is a JSON object. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is a list; otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the names of the members of both objects without duplicates, those of the second object first. */
export function namesOf(before: Node, after: Node): readonly string[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])];
}

/** Returns an own member of an object. An inherited member, such as `constructor`, is not found. */
export function memberOf(node: Node, name: string): unknown {
  return Object.hasOwn(node, name) ? node[name] : undefined;
}

/** Reports whether two JSON values are equal. */
export function areEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => areEqual(item, other[index]))
    );
  if (!isNode(one) || !isNode(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && areEqual(one[name], other[name]))
  );
}
