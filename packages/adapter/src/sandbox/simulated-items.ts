import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { fieldsByPointer, scalarTextsIn } from "./simulated-answers.ts";

/** Returns the search item of a submission: the item of an example with the values of the request and the answer. */
export function submittedItem(example: unknown, sent: unknown, answer: unknown): unknown {
  return [sent, answer].reduce(mergeFields, example);
}

function mergeFields(one: unknown, other: unknown): unknown {
  if (!isFieldObject(one) || !isFieldObject(other)) return other ?? one;
  const common = Object.entries(other).map(([name, value]) => [
    name,
    mergeFields(one[name], value),
  ]);
  return { ...one, ...Object.fromEntries(common) };
}

function isFieldObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether an item matches a search: a parameter with the name of a field must have the field's value. */
export function matchesSearch(item: unknown, { body, params, query }: CheckedInput): boolean {
  const fields = fieldsByPointer(item).map(
    ([pointer, value]) => [fieldNameOf(pointer), value] as const,
  );
  return fieldsByPointer({ ...params, ...query, ...Object(body) }).every(([pointer, value]) => {
    const own = fields.filter(([name]) => name === fieldNameOf(pointer));
    const asked = scalarTextsIn(value);
    return own.length === 0 || own.some(([, field]) => asked.includes(String(field)));
  });
}

function fieldNameOf(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf("/") + 1);
}
