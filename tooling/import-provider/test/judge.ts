import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Side } from "../src/schemas/model.ts";

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Whether a value fits a schema of the document. */
export type Judge = (schema: unknown) => (value: unknown) => boolean;

/**
 * Makes the judge of a document's schemas, which is ajv. It differs from the document in what every declaration does:
 * requests have no other fields than the declared ones; answers may have others, so that a value may fit several
 * alternatives, and their lists of words are open; a 64-bit number is a text of digits; a field that is read only is in no
 * request, and one that is written only in no answer; a discriminator says which alternative a value is.
 * @param components - the schemas of the document by name, to which `#/components/schemas/` leads
 */
export function judgeOf(components: Readonly<Record<string, unknown>>, side: Side): Judge {
  const ajv = new Ajv2020({ strict: false, logger: false, unicodeRegExp: true });
  // Insurers break formats in answers, so that nothing checks them there.
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

/** The component that a reference names; undefined for another reference. */
export function nameIn(reference: unknown): string | undefined {
  if (typeof reference !== "string" || !reference.startsWith(REFERENCE)) return undefined;
  return decodeURIComponent(reference.slice(REFERENCE.length))
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
}

interface Rules {
  /** A schema that describes a value by itself. */
  whole(schema: unknown): unknown;
  /** A schema that describes a value together with others: what holds them closes it. */
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
          // Closed together with the parts beside it, and open in answers.
          return inner === false ? [] : [[keyword, whole(inner)]];
        case "allOf":
          return [[keyword, listOf(inner).map(part)]];
        case "anyOf":
          return [[keyword, listOf(inner).map(part)]];
        case "oneOf":
          return [[side === "answer" ? "anyOf" : "oneOf", listOf(inner).map(part)]];
        // OpenAPI 3.0 has this keyword; a part cannot be null by itself.
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
    // Documents that leave the type out mean an object where they name fields.
    const isUntyped = value.type === undefined && value.properties !== undefined;
    return { ...(isUntyped ? { type: "object" } : {}), ...Object.fromEntries(members) };
  }

  /** Requires the listed fields also if the schema does not declare them, with any value. */
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

  /** Whether a schema, or one of those that it is composed of, names fields, so that there are others to refuse. */
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

  /** An answer may have a value of the discriminator that no alternative has; undefined if it chooses nothing. */
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

  /** Requires an alternative to have one of the discriminator's values for it. */
  function chosenBy(
    discriminator: unknown,
    alternatives: readonly unknown[],
    index: number,
  ): JsonSchema | undefined {
    if (!isSchema(discriminator)) return undefined;
    const property = String(discriminator.propertyName);
    // A field that may be left out says nothing of the values without it.
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

/** Members of a schema that say nothing of its values. */
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

/** Whether a whole number can be larger than JavaScript's numbers hold exactly. */
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

/** Any text instead of one of several. */
function openType(values: unknown): [string, unknown][] {
  return [["type", listOf(values).includes(null) ? ["string", "null"] : "string"]];
}
