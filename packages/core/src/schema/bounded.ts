import * as z from "zod/mini";
// A named import, because a bundler would include all of zod for `z.core`.
import { $constructor } from "zod/v4/core";

/**
 * Maximum of faults found in one list or map. A body of 64 kB could have 30,000 faults; zod overflows the stack at
 * about 100,000.
 */
const MOST_FAULTS = 100;

/** Creates the schema of an array, with a maximum of reported faults. */
export function boundedArray<Item>(
  item: z.ZodMiniType<Item, Item>,
): z.ZodMiniArray<z.ZodMiniType<Item, Item>> {
  // The constructor does not know the type of the items.
  return new List({ type: "array", element: item }) as z.ZodMiniArray<typeof item>;
}

/** Creates the schema of a record, with a maximum of reported faults. */
export function boundedRecord<Value>(
  value: z.ZodMiniType<Value, Value>,
): z.ZodMiniRecord<z.ZodMiniString<string>, z.ZodMiniType<Value, Value>> {
  // The constructor does not know the type of the values.
  return new Fields({
    type: "record",
    keyType: z.string(),
    valueType: value,
  }) as z.ZodMiniRecord<z.ZodMiniString<string>, typeof value>;
}

const ArraySchema: z.core.$constructor<z.ZodMiniArray> = z.ZodMiniArray;
const RecordSchema: z.core.$constructor<z.ZodMiniRecord> = z.ZodMiniRecord;

const List: z.core.$constructor<z.ZodMiniArray> = /* @__PURE__ */ $constructor(
  "List",
  (instance, definition) => {
    ArraySchema.init(instance, definition);
    const { _zod: internals } = instance;
    const parse = internals.parse.bind(internals);
    internals.parse = (payload, context) => {
      const { value: input } = payload;
      // zod's own check reports a value of the wrong type.
      if (!Array.isArray(input)) return parse(payload, context);
      const items: unknown[] = Array(input.length);
      payload.value = items;
      for (let index = 0; index < input.length && hasRoom(payload); index += 1)
        items[index] = checkMember(definition.element, payload, index, input[index], context);
      return payload;
    };
  },
);

const Fields: z.core.$constructor<z.ZodMiniRecord> = /* @__PURE__ */ $constructor(
  "Fields",
  (instance, definition) => {
    RecordSchema.init(instance, definition);
    const { _zod: internals } = instance;
    const parse = internals.parse.bind(internals);
    internals.parse = (payload, context) => {
      const { value: input } = payload;
      // zod's own check reports a value of the wrong type.
      if (typeof input !== "object" || input === null || Array.isArray(input))
        return parse(payload, context);
      const fields: Record<string, unknown> = {};
      payload.value = fields;
      // Define the property as zod does: an assignment to `__proto__` would change the prototype.
      for (const [name, value] of Object.entries(input))
        if (name !== "__proto__" && hasRoom(payload))
          fields[name] = checkMember(definition.valueType, payload, name, value, context);
      return payload;
    };
  },
);

/** Reports whether the number of faults is below the maximum. */
function hasRoom({ issues }: z.core.ParsePayload): boolean {
  return issues.length < MOST_FAULTS;
}

/** Checks a member of a list or map. Returns the member's value, and adds the member's faults to the other faults. */
function checkMember(
  { _zod: member }: z.core.$ZodType,
  { issues }: z.core.ParsePayload,
  name: PropertyKey,
  value: unknown,
  context: z.core.ParseContextInternal,
): unknown {
  const result = member.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new TypeError("A contract must be checked synchronously");
  for (const issue of result.issues) issues.push({ ...issue, path: [name, ...(issue.path ?? [])] });
  return result.value;
}
