import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { leavesOf, textsIn } from "./simulated-answers.ts";

/** Returns the search item of a submission: the item of an example with the values of the request and the answer. */
export function submittedItem(example: unknown, sent: unknown, answer: unknown): unknown {
  return [sent, answer].reduce(merged, example);
}

function merged(one: unknown, other: unknown): unknown {
  if (!isFields(one) || !isFields(other)) return other ?? one;
  const common = Object.entries(other).map(([name, value]) => [name, merged(one[name], value)]);
  return { ...one, ...Object.fromEntries(common) };
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether an item matches a search: a parameter with the name of a field must have the field's value. */
export function isAskedFor(item: unknown, { body, params, query }: CheckedInput): boolean {
  const fields = leavesOf(item).map(([pointer, value]) => [nameOf(pointer), value] as const);
  return leavesOf({ ...params, ...query, ...Object(body) }).every(([pointer, value]) => {
    const own = fields.filter(([name]) => name === nameOf(pointer));
    const asked = textsIn(value);
    return own.length === 0 || own.some(([, field]) => asked.includes(String(field)));
  });
}

function nameOf(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf("/") + 1);
}
