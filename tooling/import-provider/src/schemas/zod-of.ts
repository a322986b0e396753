import type { Schema } from "@insurance-gateway/core/contract";
import {
  anyOf,
  anything,
  byValue,
  digits,
  file,
  integer,
  joined,
  list,
  loose,
  map,
  number,
  objectWith,
  oneOf,
  openEnum,
  type Rule,
  strict,
  string,
  zod,
  zodSchema,
} from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import { numbersOf } from "./keywords.ts";
import type { Definition, ObjectNode, SchemaNode, Side } from "./model.ts";

type Zod = z.ZodMiniType;

/** Returns the schema of a definition, with which examples are validated. */
export type SchemaOf = (definition: Definition) => Schema<unknown>;

/** Creates a function that builds the schema of each definition once. */
export function createSchemaOf(): SchemaOf {
  const made = new Map<Definition, Zod>();
  const named = (definition: Definition): Zod => {
    const known = made.get(definition);
    if (known !== undefined) return known;
    // A schema that contains itself finds its own result in this map when values are checked.
    made.set(
      definition,
      z.lazy(() => made.get(definition) ?? z.never()),
    );
    const schema = zodOf(definition.node, definition.side, named);
    made.set(definition, schema);
    return schema;
  };
  return (definition) => zodSchema(named(definition));
}

function zodOf(node: SchemaNode, side: Side, named: (definition: Definition) => Zod): Zod {
  const inner = (one: SchemaNode): Zod => zodOf(one, side, named);
  switch (node.type) {
    case "string": {
      const { format, maxLength, minLength, pattern } = node;
      return string({
        ...numbersOf({ minLength, maxLength }),
        ...(pattern === undefined ? {} : { pattern: new RegExp(pattern, "u") }),
        ...(format === undefined ? {} : { format }),
        ...(side === "answer" ? { annotated: true } : {}),
      });
    }
    case "number":
      return number(node);
    case "integer":
      return integer(node);
    case "digits":
      return digits();
    case "boolean":
      return z.boolean();
    case "null":
      return z.null();
    case "anything":
      return anything();
    case "enum":
      return node.open ? openEnum(...node.values.map(String)) : z.literal([...node.values]);
    case "list":
      // Only lists of scalars are joined, as in `parameters.ts`.
      return node.joined === true
        ? joined(list(inner(node.item), node) as z.ZodMiniType<string[], string[]>)
        : list(inner(node.item), node);
    case "map":
      return map(inner(node.value), node);
    case "nullable":
      return z.nullable(inner(node.inner));
    case "file":
      return file(node.mediaTypes === undefined ? {} : { mediaTypes: node.mediaTypes });
    case "union": {
      if (node.by === undefined)
        return (node.mode === "one" ? oneOf : anyOf)(...node.alternatives.map(inner));
      const alternatives = node.by.values.map(([value, one]) => [value, inner(one)]);
      return byValue(node.by.property, Object.fromEntries(alternatives), node.by);
    }
    case "named":
      return named(node.definition);
    case "object":
      return objectOf(node, side, named);
  }
}

function objectOf(node: ObjectNode, side: Side, named: (definition: Definition) => Zod): Zod {
  const shape: Record<string, Zod> = {};
  for (const { name, required, schema } of node.fields)
    Object.defineProperty(shape, name, {
      enumerable: true,
      get: () => {
        const made = zodOf(schema, side, named);
        return required ? made : z.exactOptional(made);
      },
    });
  const needed = side === "answer" ? [] : node.needsOneOf;
  const rules = needed.map(
    (groups): Rule<object> => ({
      path: [],
      code: "REQUIRED",
      message: `must have ${groups.map((group) => group.join(" and ")).join(", or ")}`,
      holds: (value) => groups.some((group) => group.every((name) => name in value)),
    }),
  );
  // The shape has no declared interface, because the imported schema alone determines the values.
  const fields = shape as Parameters<typeof strict<object>>[0];
  if (typeof node.others !== "string")
    return zod(objectWith<object>(fields, zodOf(node.others, side, named), ...rules));
  if (node.others === "open" && rules.length > 0)
    return zod(objectWith<object>(fields, anything(), ...rules));
  return zod(node.others === "open" ? loose<object>(fields) : strict<object>(fields, ...rules));
}
