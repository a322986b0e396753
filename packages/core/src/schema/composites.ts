import * as z from "zod/mini";
// A named import, because a bundler would include all of zod for `z.core`.
import { $constructor } from "zod/v4/core";
import { keyword } from "./keyword.ts";

/** The rules of JSON Schema for a list. */
export interface ListRules {
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Items are compared as JSON Schema does: two objects with the same fields are the same. */
  readonly uniqueItems?: boolean;
}

/** A list with the rules of JSON Schema. */
export function list<Item>(
  item: z.ZodMiniType<Item, Item>,
  { maxItems, minItems, uniqueItems = false }: ListRules = {},
): z.ZodMiniType<Item[], Item[]> {
  return z.array(item).check(
    ...(minItems === undefined ? [] : [z.minLength(minItems)]),
    ...(maxItems === undefined ? [] : [z.maxLength(maxItems)]),
    ...keyword(uniqueItems || undefined, () => ({
      name: "uniqueItems",
      holds: (items: readonly Item[]) => new Set(items.map(canonical)).size === items.length,
      code: "REPEATED",
      message: "must not have the same item twice",
    })),
  );
}

/** The rules of JSON Schema for a map. */
export interface MapRules {
  readonly minProperties?: number;
  readonly maxProperties?: number;
  /** The pattern that every name must match. */
  readonly names?: RegExp;
}

/** An object with names of any kind, and values of one type. */
export function map<Value>(
  value: z.ZodMiniType<Value, Value>,
  { maxProperties, minProperties, names }: MapRules = {},
): z.ZodMiniType<Record<string, Value>, Record<string, Value>> {
  const count = (values: object): number => Object.keys(values).length;
  return z.record(z.string(), value).check(
    ...keyword(minProperties, (least) => ({
      name: "minProperties",
      holds: (values: object) => count(values) >= least,
      code: "LENGTH",
      message: `must have at least ${least} fields`,
    })),
    ...keyword(maxProperties, (most) => ({
      name: "maxProperties",
      holds: (values: object) => count(values) <= most,
      code: "LENGTH",
      message: `must have at most ${most} fields`,
    })),
    ...keyword(names, (pattern) => ({
      name: "propertyNames",
      value: { type: "string", pattern: pattern.source },
      // The fault is reported at the map: a name that does not match may be personal data.
      holds: (values: object) => Object.keys(values).every((name) => pattern.test(name)),
      code: "FORMAT",
      message: `must have only fields whose names match the pattern ${pattern.source}`,
    })),
  );
}

/** The schemas of alternatives, by their types. */
export type Alternatives<Types> = {
  readonly [Index in keyof Types]: z.ZodMiniType<Types[Index], Types[Index]>;
};

/** A value that matches exactly one of the alternatives. */
export function oneOf<Types extends readonly unknown[]>(
  ...alternatives: Alternatives<Types>
): z.ZodMiniType<Types[number], Types[number]> {
  return z.xor(schemasOf(alternatives));
}

/** A value that matches at least one of the alternatives. */
export function anyOf<Types extends readonly unknown[]>(
  ...alternatives: Alternatives<Types>
): z.ZodMiniType<Types[number], Types[number]> {
  return z.union(schemasOf(alternatives));
}

/**
 * An object with a property whose value selects an alternative (the discriminator of OpenAPI). It must match that
 * alternative, so that a fault names the field inside. In the JSON Schema, `x-discriminator` maps each value to the
 * position of its alternative in `oneOf`.
 * @param open - for answers: an object with another text in the property is accepted as it is, and its type is none of
 * the declared ones
 */
export function byValue<Types extends Readonly<Record<string, unknown>>>(
  property: string,
  alternatives: Alternatives<Types>,
  { open = false }: { readonly open?: boolean } = {},
): z.ZodMiniType<Types[keyof Types], Types[keyof Types]> {
  const chosen = new Map<string, z.core.$ZodType>(Object.entries(alternatives));
  const other = open ? otherThan(property, [...chosen.keys()]) : null;
  // Two values may have one alternative.
  const options = [...new Set(chosen.values()), ...(other === null ? [] : [other])];
  const choice = new Choice({ type: "union", inclusive: false, options, property, chosen, other });
  const mapping = [...chosen].map(([value, option]) => [value, options.indexOf(option)]);
  // The chosen option gives the output, so it is that of one of them.
  return choice.check(
    z.meta({ "x-discriminator": { propertyName: property, mapping: Object.fromEntries(mapping) } }),
  ) as z.ZodMiniType<Types[keyof Types], Types[keyof Types]>;
}

/** An object with a text in a property that selects no alternative. In the JSON Schema, it has `x-other`. */
function otherThan(property: string, values: readonly string[]): z.ZodMiniType {
  const text = z.string().check(z.meta({ not: { enum: values } }));
  return z.looseObject({ [property]: text }).check(z.meta({ "x-other": true }));
}

/** The schema that `byValue` creates: a union of which exactly one option matches. */
interface ChoiceDef extends z.core.$ZodUnionDef {
  readonly property: string;
  /** The option of each value. */
  readonly chosen: ReadonlyMap<string, z.core.$ZodType>;
  /** The option of every other text; null if they are refused. */
  readonly other: z.core.$ZodType | null;
}

const Union: z.core.$constructor<z.ZodMiniUnion> = z.ZodMiniUnion;

const Choice: z.core.$constructor<z.ZodMiniUnion, ChoiceDef> = /* @__PURE__ */ $constructor(
  "Choice",
  (instance, definition) => {
    Union.init(instance, definition);
    const { chosen, other, property } = definition;
    const { _zod: internals } = instance;
    internals.parse = (payload, context) => {
      const { issues, value: input } = payload;
      if (typeof input !== "object" || input === null || Array.isArray(input)) {
        issues.push({ code: "invalid_type", expected: "object", input, inst: instance });
        return payload;
      }
      const value: unknown = Reflect.get(input, property);
      const { _zod: option } =
        (typeof value === "string" ? (chosen.get(value) ?? other) : undefined) ?? {};
      if (option !== undefined) return option.run(payload, context);
      const values = [...chosen.keys()];
      const path = [property];
      issues.push({ code: "invalid_value", values, path, input: value, inst: instance });
      return payload;
    };
  },
);

function schemasOf<Types extends readonly unknown[]>(
  alternatives: Alternatives<Types>,
): z.ZodMiniType<Types[number], Types[number]>[] {
  // The type of a mapped tuple does not say that it is still a list.
  return [...(alternatives as readonly z.ZodMiniType<Types[number], Types[number]>[])];
}

/** A JSON value as a text that is the same for the same value, whatever the order of its fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : inner,
  );
}
