import { check } from "@insurance-gateway/core/contract";
import fc from "fast-check";
import {
  type Definition,
  definitionsIn,
  type NumberRules,
  type ObjectNode,
  type SchemaNode,
} from "../schemas/model.ts";
import type { SchemaOf } from "../schemas/zod-of.ts";

/** Maximum length of a generated text. A text that must be longer gets no example. */
const MAX_TEXT_LENGTH = 10_000;
/** Maximum number of items in a generated list. A list that must be longer gets no example. */
const MAX_LIST_ITEMS = 100;
/** A fixed seed, so that the texts for a pattern are the same each time. */
const SEED = 20_261_122;

/**
 * Maximum number of values in one generated example. Readers need no more values, and a type that contains itself twice
 * would double at each level.
 */
const MAX_VALUES = 1_000;
/** Maximum depth of optional parts in an example; deeper values contain only required parts. */
const MAX_OPTIONAL_LEVELS = 30;

/**
 * Generates example values for definitions: one value for each, in a time that grows linearly with the number of
 * definitions.
 */
export interface Sampler {
  /** Returns a plausible value, the same each time; undefined if no valid value was found. */
  readonly sample: (definition: Definition) => unknown;
  /**
   * Returns the definitions that require each other endlessly, so that they have no value; an empty list if a value is
   * missing for another reason.
   */
  readonly circleIn: (definition: Definition) => readonly Definition[];
}

type Sample = Sampler["sample"];

export function sampler(schemaOf: SchemaOf): Sampler {
  const made = new Map<Definition, unknown>();
  // The definitions whose values are being generated. If one of these definitions is nested in itself, the nested
  // place gets no value.
  const open = new Set<Definition>();
  /**
   * The smallest value of each definition: the optional parts are missing. Only a definition that does not require
   * itself has such a value.
   */
  const least = new Map<Definition, unknown>();
  const sought = new Set<Definition>();
  const sizes = new WeakMap<object, number>();
  const leastOf: Sample = (definition) => least.get(definition);

  return { sample, circleIn };

  function sample(definition: Definition): unknown {
    if (made.has(definition)) return made.get(definition);
    if (open.has(definition)) return undefined;
    seek(definition);
    if (open.size === MAX_OPTIONAL_LEVELS) return least.get(definition);
    open.add(definition);
    const value = firstFitting(definition, [
      [sample, true],
      [leastOf, true],
      [sample, false],
    ]);
    open.delete(definition);
    made.set(definition, value ?? least.get(definition));
    return made.get(definition);
  }

  /** Finds the smallest values of a definition and of all nested definitions from the values that are already known. */
  function seek(definition: Definition): void {
    if (sought.has(definition)) return;
    const holders = new Map<Definition, Definition[]>();
    const found = new Set([definition]);
    // The loop also visits definitions that are added while the loop runs.
    for (const one of found)
      for (const inner of definitionsIn(one.node)) {
        if (sought.has(inner)) continue;
        found.add(inner);
        holders.set(inner, [...(holders.get(inner) ?? []), one]);
      }
    for (const one of found) sought.add(one);
    const waiting = [...found];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (least.has(one)) continue;
      const value = firstFitting(one, [
        [leastOf, false],
        [leastOf, true],
      ]);
      if (value === undefined) continue;
      least.set(one, value);
      waiting.push(...(holders.get(one) ?? []));
    }
  }

  function firstFitting(
    definition: Definition,
    manners: readonly (readonly [sample: Sample, optional: boolean])[],
  ): unknown {
    const schema = schemaOf(definition);
    for (const [from, optional] of manners)
      for (const value of candidatesOf(definition.node, from, optional))
        if (value !== undefined && sizeOf(value, sizes) <= MAX_VALUES)
          if (check(schema, value).valid) return value;
    return undefined;
  }

  function circleIn(definition: Definition): readonly Definition[] {
    const path: Definition[] = [];
    for (let next: Definition | undefined = definition; next !== undefined; ) {
      if (path.includes(next)) return path.slice(path.indexOf(next));
      path.push(next);
      next = requiredIn(next.node).find((inner) => !least.has(inner));
    }
    return [];
  }
}

/** Returns the number of values inside a value. */
function sizeOf(value: unknown, known: WeakMap<object, number>): number {
  if (typeof value !== "object" || value === null) return 1;
  const size =
    known.get(value) ?? Object.values(value).reduce((sum, part) => sum + sizeOf(part, known), 1);
  known.set(value, size);
  return size;
}

/** Returns the definitions that every value of a schema contains. */
function requiredIn(node: SchemaNode): readonly Definition[] {
  switch (node.type) {
    case "named":
      return [node.definition];
    case "object":
      return node.fields.flatMap(({ required, schema }) => (required ? requiredIn(schema) : []));
    case "union":
      return node.alternatives.flatMap(requiredIn);
    case "list":
      return (node.minItems ?? 0) > 0 ? requiredIn(node.item) : [];
    case "map":
      return (node.minProperties ?? 0) > 0 ? requiredIn(node.value) : [];
    default:
      return [];
  }
}

/** Yields values that are probably valid: with and without optional parts, and of each alternative. */
function* candidatesOf(node: SchemaNode, sample: Sample, optional: boolean): Iterable<unknown> {
  if (node.type === "nullable") {
    yield* candidatesOf(node.inner, sample, optional);
    yield null;
  } else if (node.type === "union" && node.by === undefined)
    for (const alternative of node.alternatives) yield* candidatesOf(alternative, sample, optional);
  else if (node.type === "union")
    for (const [value, alternative] of node.by?.values ?? []) {
      const made = madeOf(alternative, "", sample, optional);
      if (typeof made === "object") yield { ...made, [node.by?.property ?? ""]: value };
    }
  else yield madeOf(node, "", sample, optional);
}

function madeOf(node: SchemaNode, name: string, sample: Sample, optional: boolean): unknown {
  switch (node.type) {
    case "string":
      return textFor(node, name);
    case "digits":
      return "1234567890123";
    case "number":
      // JSON Schema does not check formats of numbers, but insurers may (OpenAPI Format Registry, `int32`).
      return numberFor(node, /^u?int\d+$/.test(node.format ?? "") ? 100 : 100.5);
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
      return [...candidatesOf(node, sample, optional)].find((value) => value !== undefined);
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
  return Array.from({ length: Math.min(count, MAX_LIST_ITEMS) }, () => item);
}

function objectFor(node: ObjectNode, sample: Sample, optional: boolean): object {
  const needed = new Set(node.needsOneOf.flatMap(([first = []]) => first));
  // Most insurers that require one of several fields do not accept two of these fields.
  const others = new Set(node.needsOneOf.flatMap(([, ...rest]) => rest.flat()));
  const fields = node.fields
    .filter(({ name, required }) => required || needed.has(name) || (optional && !others.has(name)))
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

/** The example texts by format and by field name. */
const EXAMPLE_TEXTS: Readonly<Record<string, string>> = {
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
  decimal: "1",
};

function textFor(
  {
    format = "",
    maxLength = 1_000,
    minLength = 0,
    uncheckedPattern,
    pattern = uncheckedPattern,
  }: Extract<SchemaNode, { type: "string" }>,
  name: string,
): string {
  if (minLength > MAX_TEXT_LENGTH) return "";
  const plain = EXAMPLE_TEXTS[format] ?? (name === "" ? "text" : name).slice(0, maxLength);
  const text = plain.padEnd(minLength, "x");
  if (pattern === undefined) return text;
  // The text of a pattern with thousands of repetitions would use too much memory.
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
    // The pattern contains a lookahead or lookbehind, for which no texts can be generated.
    return [];
  }
}
