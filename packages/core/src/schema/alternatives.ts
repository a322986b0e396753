import * as z from "zod/mini";
// A named import, because a bundler would include all of zod for `z.core`.
import { $constructor } from "zod/v4/core";
import { checkedOnce } from "./checked-once.ts";
import type { DigitsContext } from "./scalars.ts";

/** The schemas of alternatives, one schema for each type in `Types`. */
export type Alternatives<Types> = {
  readonly [Index in keyof Types]: z.ZodMiniType<Types[Index], Types[Index]>;
};

/** Creates the schema of a value that matches exactly one of the alternatives. */
export function oneOf<Types extends readonly unknown[]>(
  ...alternatives: Alternatives<Types>
): z.ZodMiniType<Types[number], Types[number]> {
  return new OneOf({ type: "union", options: schemasOf(alternatives), inclusive: false });
}

/** Creates the schema of a value that matches at least one of the alternatives. */
export function anyOf<Types extends readonly unknown[]>(
  ...alternatives: Alternatives<Types>
): z.ZodMiniType<Types[number], Types[number]> {
  return new AnyOf({ type: "union", options: schemasOf(alternatives) });
}

const Union: z.core.$constructor<z.ZodMiniUnion> = z.ZodMiniUnion;
const Xor: z.core.$constructor<z.ZodMiniXor> = z.ZodMiniXor;

const AnyOf: z.core.$constructor<z.ZodMiniUnion> = /* @__PURE__ */ $constructor(
  "AnyOf",
  (instance, definition) => {
    Union.init(instance, definition);
    checkedOnce(instance);
  },
);

const OneOf: z.core.$constructor<z.ZodMiniXor> = /* @__PURE__ */ $constructor(
  "OneOf",
  (instance, definition) => {
    Xor.init(instance, definition);
    checkedOnce(instance);
  },
);

/**
 * Creates the schema of an object with a property whose value selects an alternative (the discriminator of OpenAPI).
 * The object must match this alternative, so that a fault names the wrong field. In the JSON Schema,
 * `x-discriminator` maps each value to the position of its alternative in `oneOf`.
 * @param open - for answers: an object with an undeclared value in the property is accepted unchanged
 */
export function byValue<Types extends Readonly<Record<string, unknown>>>(
  property: string,
  alternatives: Alternatives<Types>,
  { open = false }: { readonly open?: boolean } = {},
): z.ZodMiniType<Types[keyof Types], Types[keyof Types]> {
  const chosen = new Map<string, z.core.$ZodType>(Object.entries(alternatives));
  const other = open ? otherThan(property, [...chosen.keys()]) : null;
  // Several values may select the same alternative.
  const options = [...new Set(chosen.values()), ...(other === null ? [] : [other])];
  const choice = new Choice({ type: "union", inclusive: false, options, property, chosen, other });
  const mapping = [...chosen].map(([value, option]) => [value, options.indexOf(option)]);
  // The selected alternative gives the output, so the output has the type of an alternative.
  return choice.check(
    z.meta({ "x-discriminator": { propertyName: property, mapping: Object.fromEntries(mapping) } }),
  ) as z.ZodMiniType<Types[keyof Types], Types[keyof Types]>;
}

/** Creates the schema of an object whose property selects no alternative, marked with `x-other` in the JSON Schema. */
function otherThan(property: string, values: readonly string[]): z.ZodMiniType {
  const text = z.string().check(z.meta({ not: { enum: values } }));
  return z.looseObject({ [property]: text }).check(z.meta({ "x-other": true }));
}

/** The definition of a schema from `byValue`: a union of which exactly one option matches. */
interface ChoiceDef extends z.core.$ZodUnionDef {
  readonly property: string;
  /** The option that each value selects. */
  readonly chosen: ReadonlyMap<string, z.core.$ZodType>;
  /** The option for all other texts; null if other texts are refused. */
  readonly other: z.core.$ZodType | null;
}

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
  // The type of a mapped tuple does not show that it is a list.
  return [...(alternatives as readonly z.ZodMiniType<Types[number], Types[number]>[])];
}

/** Returns the first alternative that a value matches, or undefined. */
export type ChooseAlternative = (
  alternatives: readonly z.core.$ZodType[],
  value: unknown,
) => z.core.$ZodType | undefined;

/**
 * Creates a function that selects alternatives and remembers the checked objects, so that selections at all levels of
 * a value take linear time in total. Use the function for one value, and do not change the value meanwhile.
 * @param numbers - true if the value has JSON numbers where its schema has `digits`
 */
export function alternativeChoice({ numbers }: { readonly numbers: boolean }): ChooseAlternative {
  const context: DigitsContext = { async: false, "~numbers": numbers };
  return (alternatives, value) =>
    alternatives.find(({ _zod: option }) => {
      const result = option.run({ value, issues: [] }, context);
      return !(result instanceof Promise) && result.issues.length === 0;
    });
}
