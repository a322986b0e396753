/** A JSON object whose members are not known. */
export type Node = Readonly<Record<string, unknown>>;

/** Reads a value as an object; anything else is an object without members. */
export function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {};
}

/** Whether a value is a JSON object. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a value as a list; anything else is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The names of the members of two objects: those of the second first, each once. */
export function namesOf(before: Node, after: Node): readonly string[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])];
}

/** An own member of an object, so that a field called `constructor` is not found by accident. */
export function memberOf(node: Node, name: string): unknown {
  return Object.hasOwn(node, name) ? node[name] : undefined;
}

/** Compares two values of JSON up to the first difference. */
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
