import type { Endpoint, MatchField, SameContent } from "./endpoint.ts";
import { valueAt } from "./pointer.ts";

/** The values of a submission's match fields, in normal form, by JSON Pointer; fields that are not there are left out. */
export type MatchValues = Readonly<Record<string, unknown>>;

/** The JSON Pointer of a match field. */
export function matchPointer(field: MatchField): string {
  return typeof field === "string" ? field : field.at;
}

/** Takes an endpoint's match fields from a body, an answer or a found item. */
export function matchValues({ reconcile }: Endpoint, value: unknown): MatchValues {
  const found = (reconcile?.same ?? []).map((field): [string, unknown] => {
    const pointer = matchPointer(field);
    return [pointer, normalForm(field, valueAt(value, pointer))];
  });
  return Object.fromEntries(found.filter(([, held]) => held !== undefined));
}

function normalForm(field: MatchField, value: unknown): unknown {
  return typeof field === "string" || typeof value !== "string"
    ? value
    : field.normaliser.normalise(value);
}

/** Whether an identifier that another submission has proves a wrong answer. */
export function createsAtInsurer({ creates, insurerId, method }: Endpoint): boolean {
  return creates ?? (method === "POST" && insurerId !== undefined);
}

/** When an equal request without a key is the same submission. */
export function sameContentOf({ method, sameContent }: Endpoint): SameContent {
  return sameContent ?? (method === "POST" ? "once" : "open");
}

/** Whether an answer says that what was submitted does not stand any more. */
export function isClosed({ closedWhen }: Endpoint, answer: unknown): boolean {
  if (closedWhen === undefined) return false;
  const value = valueAt(answer, closedWhen.at);
  return typeof value === "string" && closedWhen.is.includes(value);
}
