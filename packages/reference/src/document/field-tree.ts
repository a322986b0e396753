import type { JsonSchema, OpenApiDocument } from "./open-api.ts";
import {
  alternativesOf,
  isSchema,
  limitsInWords,
  plainSchema,
  type Schemas,
  typeInWords,
} from "./type-in-words.ts";

/** A field of a request or an answer, with the facts that reference pages show. */
export interface Field {
  /** The name of the property; "" for a whole body. */
  readonly name: string;
  /** The path of names: `holder.afm`; `[]` stands for the items of a list. */
  readonly path: string;
  /** The type in words: `object or null`. */
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  /** The Greek label in forms: `Αριθμός κυκλοφορίας`. */
  readonly greek: string | null;
  /** The listed values, if any. */
  readonly values: readonly string[];
  /** True if later versions may add values to the list. */
  readonly mayGrow: boolean;
  /** The limits and rules as phrases: `1 to 200 characters`. */
  readonly limits: readonly string[];
  /** The value in the first example; undefined if the example does not contain the field. */
  readonly example: unknown;
  /** The fields of an object, or of the items of a list. */
  readonly fields: readonly Field[];
  /** The alternative types of the value. */
  readonly alternatives: readonly Field[];
  /** The path of an earlier field with the same inner fields, if the inner fields are not repeated here. */
  readonly sameAs: string | null;
}

/** Reads a schema of a document as a tree of fields. A recursive type and a large type appear only once in the tree. */
export function fieldTree(
  schema: JsonSchema,
  { components: { schemas } }: OpenApiDocument,
  example?: unknown,
): Field {
  return read(schema, { ...whole, example }, { schemas, known: new Map() });
}

type Place = Pick<Field, "example" | "name" | "path" | "required">;

const whole: Place = { name: "", path: "", required: true, example: undefined };

interface Reading {
  readonly schemas: Schemas;
  /** The named schemas that were read so far, by name, each with its path and its number of fields. */
  readonly known: Map<string, { readonly path: string; size: number }>;
}

/** Maximum number of fields in a type that is repeated instead of linked. */
const MAX_REPEATED_FIELDS = 6;

function read(described: JsonSchema, place: Place, reading: Reading): Field {
  const { component, schema } = plainSchema(described, reading.schemas);
  const values = valuesOf(schema);
  const field = {
    ...place,
    type: typeInWords(described, reading.schemas),
    description: schema.description ?? "",
    greek: schema["x-labels"]?.el ?? null,
    ...values,
    limits: values.values.length > 0 ? [] : limitsInWords(schema),
    fields: [],
    alternatives: [],
    sameAs: null,
  };
  const known = component === null ? undefined : reading.known.get(component);
  if (known !== undefined && known.size > MAX_REPEATED_FIELDS)
    return { ...field, sameAs: known.path };
  const entry = { path: place.path, size: Number.POSITIVE_INFINITY };
  if (component !== null) reading.known.set(component, entry);
  const inner = { ...field, ...within(schema, field, reading) };
  entry.size = sizeOf(inner);
  return inner;
}

/** Returns the fields and alternatives inside a value. */
function within(
  schema: JsonSchema,
  { example, limits, path }: Pick<Field, "example" | "limits" | "path">,
  reading: Reading,
): Partial<Field> {
  const {
    additionalProperties,
    allOf,
    items,
    prefixItems,
    properties = {},
    required = [],
  } = schema;
  if (items !== undefined) {
    const [first] = Array.isArray(example) ? example : [];
    const item = read(items, { ...whole, path: `${path}[]`, example: first }, reading);
    const { alternatives, fields, mayGrow, sameAs, values } = item;
    const each = item.limits.map((limit) => `each ${limit}`);
    return { fields, alternatives, sameAs, mayGrow, values, limits: [...limits, ...each] };
  }
  const child = (name: string, one: JsonSchema, isRequired: boolean): Field =>
    read(
      one,
      {
        name,
        path: path === "" ? name : `${path}.${name}`,
        required: isRequired,
        example: propertyOf(example, name),
      },
      reading,
    );
  const members = Array.isArray(allOf) ? allOf : [];
  const own = [
    ...Object.entries(properties).map(([name, one]) => child(name, one, required.includes(name))),
    ...(isSchema(additionalProperties) ? [child("*", additionalProperties, false)] : []),
    ...(Array.isArray(prefixItems) ? prefixItems : []).map((one, index) =>
      child(String(index), one, true),
    ),
    ...members.flatMap((one) => read(one, { ...whole, path, example }, reading).fields),
  ];
  const alternatives = alternativesOf(schema);
  return {
    fields: own,
    alternatives: alternatives.map((one, index) => {
      const name = nameOf(one) ?? `Alternative ${index + 1}`;
      return read(one, { ...whole, name, path, example: undefined }, reading);
    }),
  };
}

function nameOf({ $ref, title }: JsonSchema): string | null {
  if ($ref !== undefined) return $ref.replace("#/components/schemas/", "");
  return typeof title === "string" ? title : null;
}

function sizeOf({ alternatives, fields }: Field): number {
  return [...fields, ...alternatives].reduce((sum, field) => sum + 1 + sizeOf(field), 0);
}

function valuesOf(schema: JsonSchema): Pick<Field, "mayGrow" | "values"> {
  const open = schema["x-extensible-enum"];
  const closed = "const" in schema ? [schema["const"]] : schema["enum"];
  const values = Array.isArray(open) ? open : closed;
  return {
    mayGrow: Array.isArray(open),
    values: Array.isArray(values) ? values.filter((value) => value !== null).map(String) : [],
  };
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
