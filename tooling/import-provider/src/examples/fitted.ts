import { check } from "@insurance-gateway/core/contract";
import { isFilePart } from "@insurance-gateway/core/runtime";
import { isObject } from "../document/references.ts";
import type { Definition, SchemaNode } from "../schemas/model.ts";
import type { SchemaOf } from "../schemas/zod-of.ts";

/** Maximum number of characters in an example. Readers find larger examples in the insurer's document. */
const MAX_EXAMPLE_CHARACTERS = 20_000;

/**
 * Returns the document's first valid example for a schema. The example has no undeclared fields, because an object
 * literal of an interface cannot have undeclared fields.
 * @returns undefined if no example is valid, which is common
 */
export function firstValidExample(
  examples: readonly unknown[],
  definition: Definition,
  schemaOf: SchemaOf,
): unknown {
  const schema = schemaOf(definition);
  for (const example of examples) {
    if (JSON.stringify(example).length > MAX_EXAMPLE_CHARACTERS) continue;
    const value = withoutUndeclaredFields(definition.node, example, schemaOf);
    if (check(schema, value).valid) return value;
  }
  return undefined;
}

/** Returns an example without undeclared fields. */
export function withoutUndeclaredFields(
  node: SchemaNode,
  value: unknown,
  schemaOf: SchemaOf,
): unknown {
  const inner = (one: SchemaNode, part: unknown): unknown =>
    withoutUndeclaredFields(one, part, schemaOf);
  switch (node.type) {
    case "named":
      return inner(node.definition.node, value);
    case "nullable":
      return value === null ? null : inner(node.inner, value);
    case "file":
      // A file in an insurer's example could be the path of a file on this machine, and a test would then send this
      // file.
      return undefined;
    case "digits":
      return typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
    case "list":
      return Array.isArray(value) ? value.slice(0, 3).map((item) => inner(node.item, item)) : value;
    case "map":
      return isObject(value) ? mapped(value, (member) => inner(node.value, member)) : value;
    case "union": {
      const fitting = node.alternatives.find(
        (one) => one.type !== "named" || check(schemaOf(one.definition), inner(one, value)).valid,
      );
      return fitting === undefined ? value : inner(fitting, value);
    }
    case "object":
      if (!isObject(value)) return value;
      return Object.fromEntries(
        node.fields
          .filter(({ name }) => Object.hasOwn(value, name))
          .map(({ name, schema }) => [name, inner(schema, value[name])]),
      );
    default:
      return value;
  }
}

function mapped(value: object, change: (member: unknown) => unknown): object {
  if (isFilePart(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]));
}
