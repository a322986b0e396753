/** The structure of a JSON value, derived from examples of the value. */
export interface Shape {
  readonly isNullable?: boolean;
  readonly isBoolean?: boolean;
  readonly number?: "whole" | "any";
  readonly text?: "day" | "instant" | "any";
  /** The structure of a list's items; null if the lists of all examples are empty. */
  readonly items?: Shape | null;
  /** The fields of an object. */
  readonly fields?: ReadonlyMap<string, Field>;
}

/** A field of an object. */
export interface Field {
  readonly shape: Shape;
  readonly isOptional: boolean;
}

/** Derives the common structure of one or more JSON values. */
export function shapeOf(values: readonly unknown[]): Shape {
  return values.map(shapeOfOne).reduce(merged);
}

function shapeOfOne(value: unknown): Shape {
  if (value === null) return { isNullable: true };
  if (typeof value === "boolean") return { isBoolean: true };
  if (typeof value === "number") return { number: Number.isSafeInteger(value) ? "whole" : "any" };
  if (typeof value === "string") return { text: formatOf(value) };
  if (Array.isArray(value)) return { items: value.length === 0 ? null : shapeOf(value) };
  // A JSON value that reaches this line is an object.
  const fields = Object.entries(Object(value)).map(
    ([name, each]) => [name, { shape: shapeOfOne(each), isOptional: false }] as const,
  );
  return { fields: new Map(fields) };
}

function formatOf(text: string): NonNullable<Shape["text"]> {
  if (/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d)$/.test(text)) return "day";
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text) ? "instant" : "any";
}

function merged(one: Shape, other: Shape): Shape {
  const number = commonFormat(one.number, other.number);
  const text = commonFormat(one.text, other.text);
  const items = mergedItems(one.items, other.items);
  const fields = mergedFields(one.fields, other.fields);
  return {
    ...(one.isNullable === true || other.isNullable === true ? { isNullable: true } : {}),
    ...(one.isBoolean === true || other.isBoolean === true ? { isBoolean: true } : {}),
    ...(number === undefined ? {} : { number }),
    ...(text === undefined ? {} : { text }),
    ...(items === undefined ? {} : { items }),
    ...(fields === undefined ? {} : { fields }),
  };
}

/** Returns the format that two values have in common, or the general format if the formats differ. */
function commonFormat<Format extends string>(
  one: Format | undefined,
  other: Format | undefined,
): Format | "any" | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one === other ? one : "any";
}

function mergedItems(one: Shape["items"], other: Shape["items"]): Shape["items"] {
  return one && other ? merged(one, other) : (one ?? other);
}

function mergedFields(one: Shape["fields"], other: Shape["fields"]): Shape["fields"] {
  if (one === undefined || other === undefined) return one ?? other;
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return new Map(
    names.map((name) => {
      const [left, right] = [one.get(name), other.get(name)];
      const isOptional = left === undefined || right === undefined;
      const shapes = [left, right].flatMap((field) => (field === undefined ? [] : [field]));
      return [
        name,
        {
          shape: shapes.map(({ shape }) => shape).reduce(merged),
          isOptional: isOptional || shapes.some((field) => field.isOptional),
        },
      ];
    }),
  );
}
