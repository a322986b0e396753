import { check } from "@insurance-gateway/core/contract";
import fc from "fast-check";
import type { Definition, NumberRules, ObjectNode, SchemaNode } from "../schemas/model.ts";
import type { SchemaOf } from "../schemas/zod-of.ts";

/** Texts that must be longer have no example. */
const LONGEST = 10_000;
/** Lists that must be longer have no example. */
const MOST_ITEMS = 100;
/** The same texts for a pattern each time. */
const SEED = 20_261_122;

/** Makes a plausible value of a definition, the same each time; undefined where none could be made that fits. */
export type Sampler = (definition: Definition) => unknown;

/** Makes values of definitions, each once. */
export function sampler(schemaOf: SchemaOf): Sampler {
  const made = new Map<Definition, unknown>();
  /** What is being made: inside itself, it is left out. */
  const open = new Set<Definition>();
  const sample: Sampler = (definition) => {
    if (made.has(definition)) return made.get(definition);
    if (open.has(definition)) return undefined;
    open.add(definition);
    const schema = schemaOf(definition);
    const fits = (value: unknown): boolean => value !== undefined && check(schema, value).valid;
    const value = firstOf(candidatesOf(definition.node, sample), fits);
    open.delete(definition);
    // What was left out because it is open elsewhere may be possible later.
    if (value !== undefined || open.size === 0) made.set(definition, value);
    return value;
  };
  return sample;
}

function firstOf(values: Iterable<unknown>, isFit: (value: unknown) => boolean): unknown {
  for (const value of values) if (isFit(value)) return value;
  return undefined;
}

/** Values that are likely to fit: with and without what may be left out, and of each alternative. */
function* candidatesOf(node: SchemaNode, sample: Sampler): Iterable<unknown> {
  if (node.type === "nullable") {
    yield* candidatesOf(node.inner, sample);
    yield null;
  } else if (node.type === "union" && node.by === undefined)
    for (const alternative of node.alternatives) yield* candidatesOf(alternative, sample);
  else if (node.type === "union")
    for (const [value, alternative] of node.by?.values ?? []) {
      const made = madeOf(alternative, "", sample, true);
      if (typeof made === "object") yield { ...made, [node.by?.property ?? ""]: value };
    }
  else {
    yield madeOf(node, "", sample, true);
    yield madeOf(node, "", sample, false);
  }
}

function madeOf(node: SchemaNode, name: string, sample: Sampler, optional: boolean): unknown {
  switch (node.type) {
    case "string":
      return textFor(node, name);
    case "digits":
      return "1234567890123";
    case "number":
      return numberFor(node, node.isWhole === true ? 100 : 100.5);
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
    case "list":
      return listFor(node, madeOf(node.item, name, sample, optional));
    case "map": {
      const value =
        (node.minProperties ?? 0) > 0 ? madeOf(node.value, name, sample, optional) : undefined;
      return value === undefined ? {} : { name: value };
    }
    case "nullable":
      return madeOf(node.inner, name, sample, optional) ?? null;
    case "file":
      // The first bytes of a PDF.
      return {
        mediaType: node.mediaTypes?.[0] ?? "application/pdf",
        content: new Uint8Array([37, 80, 68, 70, 45]),
      };
    case "union":
      return firstOf(candidatesOf(node, sample), (value) => value !== undefined);
    case "named":
      return sample(node.definition);
    case "object":
      return objectFor(node, sample, optional);
  }
}

function listFor(
  { maxItems = 1, minItems = 0 }: Extract<SchemaNode, { type: "list" }>,
  item: unknown,
): unknown {
  if (item === undefined) return minItems === 0 ? [] : undefined;
  const count = Math.max(minItems, Math.min(1, maxItems));
  return Array.from({ length: Math.min(count, MOST_ITEMS) }, () => item);
}

function objectFor(node: ObjectNode, sample: Sampler, optional: boolean): object {
  const needed = new Set(node.needsOneOf.flatMap(([first = []]) => first));
  const fields = node.fields
    .filter(({ name, required }) => required || optional || needed.has(name))
    .map(({ name, schema }) => [name, madeOf(schema, name, sample, optional)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function numberFor(rules: NumberRules, usual: number): number {
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
  duration: "P1D",
  uuid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  guid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  email: "eleni@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  byte: "SW5zdXJhbmNl",
};

function textFor(
  {
    format = "",
    maxLength = 1_000,
    minLength = 0,
    pattern,
  }: Extract<SchemaNode, { type: "string" }>,
  name: string,
): string {
  if (minLength > LONGEST) return "";
  const plain = TEXTS[format] ?? (name === "" ? "text" : name).slice(0, maxLength);
  const text = plain.padEnd(minLength, "x");
  if (pattern === undefined) return text;
  // A pattern that repeats so often would take the memory for one text.
  if (/\{\d*,?\d{4,}/.test(pattern)) return text;
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
