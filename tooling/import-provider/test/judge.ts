import type { Side } from "../src/schemas/model.ts";

/**
 * What a JSON Schema accepts when it describes a request or an answer: requests have no other fields than the declared
 * ones; answers may have others, so that a value may fit several alternatives, and their lists of words are open. Otherwise the schema is the document's own.
 */
export function judged(schema: unknown, side: Side): unknown {
  if (Array.isArray(schema)) return schema.map((part) => judged(part, side));
  if (typeof schema !== "object" || schema === null) return schema;
  const parts: JsonSchema = Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [
      name,
      name === "enum" || name === "const" || name === "required" ? part : judged(part, side),
    ]),
  );
  return side === "request" ? closed(parts) : opened(parts);
}

function closed(schema: JsonSchema): JsonSchema {
  const isSilent = "properties" in schema && !("additionalProperties" in schema);
  return isSilent ? { ...schema, additionalProperties: false } : schema;
}

function opened(schema: JsonSchema): JsonSchema {
  const { additionalProperties, oneOf, ...others } = schema;
  const open: JsonSchema = {
    ...others,
    ...(additionalProperties === undefined || additionalProperties === false
      ? {}
      : { additionalProperties }),
    ...(oneOf === undefined ? {} : { anyOf: oneOf }),
  };
  return isOpenList(open.enum) ? withoutEnum(open) : open;
}

type JsonSchema = Readonly<Record<string, unknown>>;

function isOpenList(values: unknown): boolean {
  if (!Array.isArray(values)) return false;
  const words = values.filter((value) => value !== null);
  return new Set(words).size > 1 && words.every((word) => typeof word === "string");
}

/** Any text instead of one of several. */
function withoutEnum({ enum: values, ...rest }: JsonSchema): JsonSchema {
  const type = Array.isArray(values) && values.includes(null) ? ["string", "null"] : "string";
  return { ...rest, type };
}
