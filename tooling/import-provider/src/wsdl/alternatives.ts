import type { XmlField } from "@insurance-gateway/adapter/soap";
import { addTypeLoss, type Content, type Reading, type TypeField } from "./content-model.ts";
import type { XmlNode } from "./nodes.ts";

/** The fields of a part of an XML Schema type. */
export interface PartContent {
  readonly fields: readonly TypeField[];
  readonly needsOneOf: Content["needsOneOf"];
}

/** Returns the properties that identify a field's element: they are equal if two alternatives have the same element. */
export function elementIdentityOf({ as, is, namespace, type, xmlName }: XmlField): string {
  return JSON.stringify([as, is, namespace, type, xmlName]);
}

/** Maximum number of field lists in a rule, because callers could not read a longer rule. */
const MAX_FIELD_LISTS = 16;

/** Combines groups of field lists into one group. Each list of the new group contains one list of every old group. */
export function combineGroups(
  reading: Reading,
  node: XmlNode,
  [first, ...others]: Content["needsOneOf"],
): Content["needsOneOf"] {
  if (first === undefined) return [];
  let all = first;
  for (const group of others) {
    if (all.length * group.length > MAX_FIELD_LISTS) {
      addTypeLoss(
        reading,
        node,
        "Only for the first of several choices does the package check that an alternative is present.",
        "loosened",
      );
      break;
    }
    all = all.flatMap((one) => group.map((other) => [...one, ...other]));
  }
  return [all];
}

/** Returns the fields of all alternatives of a choice, as optional fields. */
export function alternativeFields(
  reading: Reading,
  choice: XmlNode,
  alternatives: readonly PartContent[],
): readonly TypeField[] {
  const fields = inOneOrder(reading, choice, alternatives);
  if (fields.some(({ schema }) => Number(schema.minItems ?? 0) > 1))
    addTypeLoss(
      reading,
      choice,
      "The minimum number of items in a list of an alternative is not checked.",
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
    addTypeLoss(
      reading,
      choice,
      "Alternatives have the same elements in different orders, or repeat an element: requests have the order of the first alternative.",
      "lost",
      "loosened",
    );
  const rules = new Set(all.map(({ field, schema }) => JSON.stringify([placeOf(field), schema])));
  if (rules.size > byFirst.length)
    addTypeLoss(
      reading,
      choice,
      "Alternatives have the same element with different rules: the rules of one alternative apply to all.",
      "lost",
      "lost",
    );
  return found ?? byFirst;
}

function placeOf(field: XmlField): string {
  return `${field.name} ${elementIdentityOf(field)}`;
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
