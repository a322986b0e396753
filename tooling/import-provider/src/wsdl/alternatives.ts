import type { XmlField } from "@insurance-gateway/adapter/soap";
import { type Content, lose, type Reading, type TypeField } from "./content-model.ts";
import type { XmlNode } from "./nodes.ts";

/** The content of a part of a type. */
export interface PartContent {
  readonly fields: readonly TypeField[];
  readonly needsOneOf: Content["needsOneOf"];
}

/** Returns the properties of a field that are equal if it is the same element in another alternative. */
export function wireOf({ as, is, namespace, type, xmlName }: XmlField): string {
  return JSON.stringify([as, is, namespace, type, xmlName]);
}

/** Maximum of field lists in a rule, because a longer rule would be unreadable for callers. */
const MOST_LISTS = 16;

/** Combines groups into one: each of its lists contains one list of every group. */
export function allNeeded(
  reading: Reading,
  node: XmlNode,
  [first, ...others]: Content["needsOneOf"],
): Content["needsOneOf"] {
  if (first === undefined) return [];
  let all = first;
  for (const group of others) {
    if (all.length * group.length > MOST_LISTS) {
      lose(
        reading,
        node,
        "Of several choices only for the first ones is it checked that one alternative is there.",
        "loosened",
      );
      break;
    }
    all = all.flatMap((one) => group.map((other) => [...one, ...other]));
  }
  return [all];
}

/** Returns the fields of a choice's alternatives, each of which may be absent. */
export function alternativeFields(
  reading: Reading,
  choice: XmlNode,
  alternatives: readonly PartContent[],
): readonly TypeField[] {
  const fields = inOneOrder(reading, choice, alternatives);
  if (fields.some(({ schema }) => Number(schema.minItems ?? 0) > 1))
    lose(
      reading,
      choice,
      "How many items a list of an alternative has at least is not checked.",
      "loosened",
    );
  return fields.map(alternativeField);
}

/** Makes a field optional, even if it is a list. */
function alternativeField({ field, schema }: TypeField): TypeField {
  const { minItems: _least, ...rest } = schema;
  return { field, schema: field.repeats === true ? rest : schema, isRequired: false };
}

/** Merges the fields of all alternatives without duplicates, in an order that keeps the order of each alternative. */
function inOneOrder(
  reading: Reading,
  choice: XmlNode,
  alternatives: readonly PartContent[],
): readonly TypeField[] {
  const all = alternatives.flatMap(({ fields }) => fields);
  const byFirst = onceEach(all);
  if (byFirst.length === all.length) return all;
  const byLast = onceEach(all.toReversed()).toReversed();
  const found = [byFirst, byLast].find((order) =>
    alternatives.every(({ fields }) => isOrdered(fields, order)),
  );
  if (found === undefined)
    lose(
      reading,
      choice,
      "Alternatives have the same elements in different orders, or one more than once: requests have the order of the first.",
      "lost",
      "loosened",
    );
  const rules = new Set(all.map(({ field, schema }) => JSON.stringify([placeOf(field), schema])));
  if (rules.size > byFirst.length)
    lose(
      reading,
      choice,
      "Alternatives have the same element with different rules: those of one count for all.",
      "lost",
      "lost",
    );
  return found ?? byFirst;
}

function placeOf(field: XmlField): string {
  return `${field.name} ${wireOf(field)}`;
}

function onceEach(fields: readonly TypeField[]): readonly TypeField[] {
  const seen = new Set<string>();
  return fields.filter(({ field }) => seen.size < seen.add(placeOf(field)).size);
}

function isOrdered(fields: readonly TypeField[], order: readonly TypeField[]): boolean {
  const places = new Map(order.map(({ field }, index) => [placeOf(field), index]));
  const positions = fields.map(({ field }) => places.get(placeOf(field)) ?? -1);
  return positions.every((position, index) => position > (positions[index - 1] ?? -1));
}
