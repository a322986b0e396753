import { check } from "@insurance-gateway/core/contract";
import fc from "fast-check";
import type { Definition, ObjectNode, SchemaNode } from "../schemas/model.ts";
import type { SchemaOf } from "../schemas/zod-of.ts";

/** Deeper values are left out where they may be. */
const DEEPEST = 6;
/** The same texts for a pattern each time. */
const SEED = 20_261_122;

/**
 * Makes a plausible value of a schema, the same each time.
 * @returns undefined where none could be made that fits
 */
export function sampleOf(definition: Definition, schemaOf: SchemaOf): unknown {
  const schema = schemaOf(definition);
  const fits = (value: unknown): boolean => value !== undefined && check(schema, value).valid;
  const candidates = [
    (): unknown => valueOf(definition.node, "", 0, { optional: true, choice: 0 }),
    (): unknown => valueOf(definition.node, "", 0, { optional: false, choice: 0 }),
    (): unknown => valueOf(definition.node, "", 0, { optional: false, choice: 1 }),
    (): unknown => valueOf(definition.node, "", 0, { optional: true, choice: 1 }),
  ];
  for (const candidate of candidates) {
    const value = candidate();
    if (fits(value)) return value;
  }
  return undefined;
}

interface Manner {
  /** Whether fields that may be left out are there. */
  readonly optional: boolean;
  /** Which alternative is taken, where it has so many. */
  readonly choice: number;
}

function valueOf(node: SchemaNode, name: string, depth: number, manner: Manner): unknown {
  switch (node.type) {
    case "string":
      return textFor(node, name);
    case "digits":
      return "1234567890123";
    case "number":
      return numberFor(node, 100.5);
    case "integer":
      return numberFor(node, 1);
    case "boolean":
      return true;
    case "null":
      return null;
    case "anything":
      return {};
    case "enum":
      return node.values[0];
    case "list": {
      const least = node.minItems ?? 0;
      if (depth >= DEEPEST && least === 0) return [];
      const item = valueOf(node.item, name, depth + 1, manner);
      const count = Math.max(least, Math.min(1, node.maxItems ?? 1));
      return Array.from({ length: Math.min(count, 100) }, () => item);
    }
    case "map":
      return (node.minProperties ?? 0) > 0
        ? { name: valueOf(node.value, name, depth + 1, manner) }
        : {};
    case "nullable":
      return depth >= DEEPEST ? null : valueOf(node.inner, name, depth, manner);
    case "file":
      // The first bytes of a PDF.
      return { mediaType: "application/pdf", content: new Uint8Array([37, 80, 68, 70, 45]) };
    case "union": {
      const [value, chosen] = node.by?.values[manner.choice] ?? node.by?.values[0] ?? [];
      if (value !== undefined && chosen !== undefined && node.by !== undefined) {
        const made = valueOf(chosen, name, depth, manner);
        return { ...(typeof made === "object" ? made : {}), [node.by.property]: value };
      }
      const alternative = node.alternatives[manner.choice] ?? node.alternatives[0];
      return alternative && valueOf(alternative, name, depth, manner);
    }
    case "named":
      return depth > 4 * DEEPEST ? undefined : valueOf(node.definition.node, name, depth, manner);
    case "object":
      return objectFor(node, depth, manner);
  }
}

function objectFor(node: ObjectNode, depth: number, manner: Manner): object {
  const needed = new Set(node.needsOneOf.map((groups) => groups[0] ?? []).flat());
  const fields = node.fields
    .filter(
      ({ name, required }) =>
        required || needed.has(name) || (manner.optional && depth < DEEPEST),
    )
    .map(({ name, schema }) => [name, valueOf(schema, name, depth + 1, manner)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function numberFor(
  rules: Extract<SchemaNode, { type: "number" | "integer" }>,
  usual: number,
): number {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf = 0 } = rules;
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1);
  const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - 1);
  const inside = Math.min(Math.max(usual, least ?? usual), most ?? Math.max(usual, least ?? usual));
  if (multipleOf === 0) return inside;
  return Number((Math.ceil(inside / multipleOf) * multipleOf).toPrecision(12));
}

/** Texts by their format, and by what a field is called. */
const TEXTS: Readonly<Record<string, string>> = {
  date: "2026-11-21",
  "date-time": "2026-11-21T08:00:00Z",
  time: "08:00:00Z",
  uuid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  email: "eleni@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  byte: "SW5zdXJhbmNl",
};

function textFor(
  { format = "", maxLength = 1_000, minLength = 0, pattern }: Extract<SchemaNode, { type: "string" }>,
  name: string,
): string {
  const plain = TEXTS[format] ?? (name === "" ? "text" : name).slice(0, maxLength);
  const text = plain.padEnd(minLength, "x");
  if (pattern === undefined) return text;
  const expression = new RegExp(pattern, "u");
  const isFit = (one: string): boolean =>
    expression.test(one) && one.length >= minLength && one.length <= maxLength;
  if (isFit(text)) return text;
  return textMatching(expression).find(isFit) ?? text;
}

function textMatching(expression: RegExp): readonly string[] {
  try {
    return fc.sample(fc.stringMatching(expression), { numRuns: 50, seed: SEED });
  } catch {
    // It looks ahead or behind: no texts can be made of it.
    return [];
  }
}
