import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Side } from "../src/schemas/model.ts";

/** A JSON Schema or a part of a schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Compiles a schema of the document to a function that reports whether a value is valid. */
export type CompileSchema = (schema: unknown) => (value: unknown) => boolean;

/**
 * Creates a validator (ajv) for a document's schemas. It deviates from the document like the package: requests have
 * only declared fields; answers are open, so a value may match several alternatives and enums accept any text; 64-bit
 * numbers are texts of digits; readOnly fields are not in requests and writeOnly fields not in answers; a discriminator
 * selects the alternative.
 * @param components - the document's schemas by name, to which `#/components/schemas/` refers
 */
export function judgeOf(components: Readonly<Record<string, unknown>>, side: Side): CompileSchema {
  const ajv = new Ajv2020({ strict: false, logger: false, unicodeRegExp: true });
  // Insurers violate formats in answers, so neither this validator nor the package checks formats of answers.
  if (side === "request") addFormats.default(ajv, ["date", "date-time", "uuid"]);
  const rules = rulesOf(components, side);
  ajv.addSchema({
    $id: "document",
    $defs: Object.fromEntries(
      Object.entries(components).flatMap(([name, schema]) => [
        [`whole ${name}`, rules.whole(schema)],
        [`part ${name}`, rules.part(schema)],
      ]),
    ),
  });
  return (schema) => ajv.compile(Object(rules.whole(schema)));
}

const REFERENCE = "#/components/schemas/";

/** Returns the name of the component to which a reference leads; undefined for another reference. */
export function nameIn(reference: unknown): string | undefined {
  if (typeof reference !== "string" || !reference.startsWith(REFERENCE)) return undefined;
  return decodeURIComponent(reference.slice(REFERENCE.length))
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
}

interface Rules {
  /** Converts a schema that describes a value alone. */
  whole(schema: unknown): unknown;
  /**
   * Converts a schema that describes a value together with other schemas; the containing schema forbids further
   * fields.
   */
  part(schema: unknown): unknown;
}

function rulesOf(components: Readonly<Record<string, unknown>>, side: Side): Rules {
  const rules: Rules = { whole, part };
  return rules;

  function whole(value: unknown): unknown {
    if (!isSchema(value)) return value;
    const { nullable, ...rest } = value;
    if (nullable === true) return { anyOf: [{ type: "null" }, whole(rest)] };
    const { anyOf, discriminator, oneOf, ...base } = value;
    const alternatives = listOf(oneOf ?? anyOf);
    const isRequirement = alternatives.every(
      (one) => isSchema(one) && Object.keys(one).every((name) => name === "required"),
    );
    if (alternatives.length > 0 && !isRequirement) {
      const isFree = Object.keys(base).every((name) => ANNOTATIONS.has(name) || name === "type");
      const keyword = oneOf === undefined || side === "answer" ? "anyOf" : "oneOf";
      const each = alternatives.map((one, index) => {
        const own = isFree || isNull(one) ? whole(one) : whole({ allOf: [base, one] });
        const by = chosenBy(discriminator, alternatives, index);
        return by === undefined ? own : { allOf: [own, by] };
      });
      const other = side === "answer" ? otherThan(discriminator, alternatives) : undefined;
      return { [keyword]: other === undefined ? each : [...each, other] };
    }
    const { $ref } = value;
    const isSole = typeof $ref === "string" && Object.keys(value).every(isBeside);
    if (isSole) return { $ref: referenceTo("whole", $ref) };
    const closes = side === "request" && hasFields(value, new Set());
    return { ...Object(part(value)), ...(closes ? { unevaluatedProperties: false } : {}) };
  }

  function part(value: unknown): unknown {
    if (!isSchema(value)) return value;
    if (isLarge(value)) return digitsFor(value);
    const members = Object.entries(value).flatMap(([keyword, inner]): [string, unknown][] => {
      switch (keyword) {
        case "$ref":
          return [[keyword, referenceTo("part", String(inner))]];
        case "properties":
          return [[keyword, { ...undeclared(value), ...fields(inner) }]];
        case "required":
          return [[keyword, listOf(inner).filter((name) => !isOther(value, String(name)))]];
        case "items":
        case "not":
          return [[keyword, whole(inner)]];
        case "additionalProperties":
          // The containing schema forbids further fields; answers allow them.
          return inner === false ? [] : [[keyword, whole(inner)]];
        case "allOf":
          return [[keyword, listOf(inner).map(part)]];
        case "anyOf":
          return [[keyword, listOf(inner).map(part)]];
        case "oneOf":
          return [[side === "answer" ? "anyOf" : "oneOf", listOf(inner).map(part)]];
        // `nullable` is a keyword of OpenAPI 3.0. A part of a composed schema cannot allow null if the other parts do
        // not.
        case "nullable":
          return [];
        case "enum":
          return isOpenList(inner) && side === "answer" ? openType(inner) : [[keyword, inner]];
        case "format":
          return side === "request" ? [[keyword, inner]] : [];
        default:
          return [[keyword, inner]];
      }
    });
    // A schema without a type but with fields means an object.
    const isUntyped = value.type === undefined && value.properties !== undefined;
    return { ...(isUntyped ? { type: "object" } : {}), ...Object.fromEntries(members) };
  }

  /** Declares required fields without a schema with any value, so that a closed request can have them. */
  function undeclared({ additionalProperties, required }: JsonSchema): JsonSchema {
    const isClosed = side === "request" && !isSchema(additionalProperties);
    return Object.fromEntries(isClosed ? listOf(required).map((name) => [name, {}]) : []);
  }

  function fields(value: unknown): JsonSchema {
    return Object.fromEntries(
      Object.entries(Object(value)).flatMap(([name, schema]) =>
        isOfOther(schema) ? [] : [[name, whole(schema)]],
      ),
    );
  }

  function isOther({ properties }: JsonSchema, name: string): boolean {
    return isSchema(properties) && isOfOther(properties[name]);
  }

  function isOfOther(schema: unknown): boolean {
    if (!isSchema(schema)) return false;
    const target = components[nameIn(schema.$ref) ?? ""];
    const flag = side === "request" ? "readOnly" : "writeOnly";
    return schema[flag] === true || (isSchema(target) && target[flag] === true);
  }

  /** Reports whether a schema or one of its parts names fields, so that further fields can be refused. */
  function hasFields(schema: unknown, seen: Set<unknown>): boolean {
    if (!isSchema(schema) || seen.has(schema)) return false;
    seen.add(schema);
    return (
      (schema.properties !== undefined && Object.keys(Object(schema.properties)).length > 0) ||
      schema.additionalProperties === false ||
      hasFields(components[nameIn(schema.$ref) ?? ""], seen) ||
      listOf(schema.allOf).some((one) => hasFields(one, seen))
    );
  }

  function requires(schema: unknown, property: string): boolean {
    if (!isSchema(schema)) return false;
    return (
      listOf(schema.required).includes(property) ||
      requires(components[nameIn(schema.$ref) ?? ""], property) ||
      listOf(schema.allOf).some((one) => requires(one, property))
    );
  }

  /**
   * Returns a schema for answers with an unlisted value of the discriminator; undefined if the discriminator selects
   * nothing.
   */
  function otherThan(
    discriminator: unknown,
    alternatives: readonly unknown[],
  ): JsonSchema | undefined {
    const all = alternatives.map((_, index) => chosenBy(discriminator, alternatives, index));
    if (all.length === 0 || !all.every((by) => by !== undefined)) return undefined;
    const property = String(Object(discriminator).propertyName);
    return {
      type: "object",
      required: [property],
      properties: { [property]: { type: "string" } },
      not: { anyOf: all },
    };
  }

  /** Returns a schema that requires one of the discriminator's values for an alternative. */
  function chosenBy(
    discriminator: unknown,
    alternatives: readonly unknown[],
    index: number,
  ): JsonSchema | undefined {
    if (!isSchema(discriminator)) return undefined;
    const property = String(discriminator.propertyName);
    // An optional field cannot select the alternative of a value without the field.
    if (!alternatives.every((one) => requires(one, property))) return undefined;
    const alternative = alternatives[index];
    const name = isSchema(alternative) ? nameIn(alternative.$ref) : undefined;
    if (name === undefined) return undefined;
    const mapped = Object.entries(Object(discriminator.mapping)).filter(
      ([, target]) => target === name || nameIn(target) === name,
    );
    const values = mapped.length > 0 ? mapped.map(([value]) => value) : [name];
    return { required: [property], properties: { [property]: { enum: values } } };
  }
}

/** Keywords that do not affect which values are valid. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  "title description summary example examples default deprecated readOnly writeOnly externalDocs xml x-github".split(
    " ",
  ),
);

function isBeside(name: string): boolean {
  return name === "$ref" || ANNOTATIONS.has(name);
}

function referenceTo(kind: "whole" | "part", reference: string): string {
  return `document#/$defs/${encodeURIComponent(`${kind} ${(nameIn(reference) ?? reference).replaceAll("~", "~0").replaceAll("/", "~1")}`)}`;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isNull(schema: unknown): boolean {
  return isSchema(schema) && schema.type === "null";
}

/** Reports whether a whole number can exceed the exact range of JavaScript's numbers. */
export function isLarge({ format, maximum, minimum }: JsonSchema): boolean {
  return (
    (format === "int64" || format === "uint64") &&
    !(typeof maximum === "number" && typeof minimum === "number")
  );
}

function digitsFor({ type }: JsonSchema): JsonSchema {
  const isNullable = Array.isArray(type) && type.includes("null");
  return {
    type: isNullable ? ["string", "null"] : "string",
    pattern: "^(0|-?[1-9][0-9]{0,18})$",
  };
}

function isOpenList(values: unknown): boolean {
  const words = listOf(values).filter((value) => value !== null);
  return new Set(words).size > 1 && words.every((word) => typeof word === "string");
}

/** Replaces an enum by any text. */
function openType(values: unknown): [string, unknown][] {
  return [["type", listOf(values).includes(null) ? ["string", "null"] : "string"]];
}
