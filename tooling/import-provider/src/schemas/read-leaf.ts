import {
  isFastPattern,
  type PatternCost,
  patternCost,
} from "@insurance-gateway/reference/patterns";
import type { JsonObject } from "../document/references.ts";
import { numbersOf } from "./keywords.ts";
import type { NumberRules, SchemaNode, StringRules } from "./model.ts";
import type { Place } from "./read-schema.ts";

type Loosen = (place: Place, effect: string) => void;

/** Reads a schema of one type that contains no other schemas. */
export function leafOf(
  schema: JsonObject,
  type: string | undefined,
  place: Place,
  loosen: Loosen,
): SchemaNode {
  switch (type) {
    case "string":
      if (place.files === "part" && isBinary(schema)) return { type: "file" };
      return { type: "string", ...stringRules(schema, place, loosen) };
    case "integer":
      if (!isLarge(schema))
        return { type: "integer", ...int32Limits(schema, place), ...numberRules(schema) };
      if (Object.keys(numberRules({ ...schema, format: undefined })).length > 0)
        loosen(place, "The limits of a 64-bit number are not checked.");
      return { type: "digits" };
    case "number":
      return { type: "number", ...numberRules(schema) };
    case "boolean":
      return { type: "boolean" };
    case "null":
      return { type: "null" };
    // Swagger 2.0 uses this type for files in forms.
    case "file":
      return { type: "file" };
    default:
      return { type: "anything" };
  }
}

/** Returns a schema that also accepts null; a schema that already accepts null stays unchanged. */
export function nullableOf(node: SchemaNode): SchemaNode {
  const isAlready = ["nullable", "null", "anything"].includes(node.type);
  return isAlready ? node : { type: "nullable", inner: node };
}

function isBinary({ contentMediaType, format }: JsonObject): boolean {
  return format === "binary" || contentMediaType === "application/octet-stream";
}

/** Reports whether a whole number can exceed the exact range of JavaScript's numbers (2⁵³ − 1). */
function isLarge({ format, maximum, minimum }: JsonObject): boolean {
  const isBounded =
    typeof maximum === "number" &&
    maximum <= Number.MAX_SAFE_INTEGER &&
    typeof minimum === "number" &&
    minimum >= Number.MIN_SAFE_INTEGER;
  return (format === "int64" || format === "uint64") && !isBounded;
}

/** Returns the limits of `int32` for requests (OpenAPI Format Registry). */
function int32Limits({ format }: JsonObject, { side }: Place): NumberRules {
  return format === "int32" && side === "request"
    ? { minimum: -2_147_483_648, maximum: 2_147_483_647 }
    : {};
}

function numberRules(schema: JsonObject): NumberRules {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf } = schema;
  const limits = numbersOf({
    minimum: exclusiveMinimum === true ? undefined : minimum,
    maximum: exclusiveMaximum === true ? undefined : maximum,
    exclusiveMinimum: exclusiveMinimum === true ? minimum : exclusiveMinimum,
    exclusiveMaximum: exclusiveMaximum === true ? maximum : exclusiveMaximum,
    multipleOf: typeof multipleOf === "number" && multipleOf > 0 ? multipleOf : undefined,
  });
  return { ...limits, ...formatOf(schema) };
}

/** Returns a format that can be published: visible characters and spaces. */
function formatOf({ format }: JsonObject): { readonly format?: string } {
  return typeof format === "string" && /^[!-~][ -~]{0,80}$/.test(format) ? { format } : {};
}

function stringRules(schema: JsonObject, place: Place, loosen: Loosen): StringRules {
  const { maxLength, minLength, pattern } = schema;
  const lengths = numbersOf({ minLength, maxLength });
  return {
    ...lengths,
    ...(typeof pattern === "string" ? patternRule(pattern, lengths, place, loosen) : {}),
    ...formatOf(schema),
  };
}

/**
 * Returns the rule for a pattern. The package checks the pattern only if no text can make the check block the process.
 */
function patternRule(
  pattern: string,
  lengths: Pick<StringRules, "maxLength">,
  place: Place,
  loosen: Loosen,
): StringRules {
  if (/^\/\^.*\$\/[a-z]*$/s.test(pattern)) {
    loosen(
      place,
      "The pattern is not checked: with its slashes it matches no text. Write the pattern without slashes in the overlay.",
    );
    return {};
  }
  const expression = expressionOf(pattern);
  if (expression !== null && isFastPattern(expression, lengths.maxLength)) return { pattern };
  const cost = expression && patternCost(expression);
  const why = cost === null ? "it is not a regular expression of ECMA-262" : reasons[cost];
  loosen(place, `The pattern is not checked: ${why}.`);
  // Generating examples for slower patterns would take too long.
  return cost === "quadratic" ? { uncheckedPattern: pattern } : {};
}

const reasons: Readonly<Record<PatternCost, string>> = {
  linear: "it takes linear time",
  quadratic:
    "it takes quadratic time, and the text has no `maxLength` of at most 256; add a `maxLength` in the overlay if the insurer limits the text",
  higher:
    "some texts would take far longer than linear time; write a simpler pattern in the overlay",
};

function expressionOf(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}
