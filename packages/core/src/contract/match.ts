import type { Endpoint, MatchField, SameContent } from "./endpoint.ts";
import { valueAt } from "./pointer.ts";

/** The normal forms of a submission's match fields, by JSON Pointer. Missing fields are omitted. */
export type MatchValues = Readonly<Record<string, unknown>>;

/** The JSON Pointer of a match field. */
export function matchPointer(field: MatchField): string {
  return typeof field === "string" ? field : field.at;
}

/** Reads an endpoint's match fields from a body, an answer or an item of the search. */
export function matchValues({ same = [] }: Endpoint, value: unknown): MatchValues {
  const found = same.map((field): [string, unknown] => {
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

/** Whether each submission of an endpoint gets a new identifier, so that a known identifier proves a wrong answer. */
export function createsAtInsurer({ creates, insurerId, method }: Endpoint): boolean {
  return creates ?? (method === "POST" && insurerId !== undefined);
}

/** Returns when an equal request without a key counts as the same submission. */
export function sameContentOf({ method, sameContent }: Endpoint): SameContent {
  return sameContent ?? (method === "POST" ? "once" : "open");
}

/** Whether an answer says that the insurer declined or ended what was submitted. */
export function isClosed({ closedWhen }: Endpoint, answer: unknown): boolean {
  if (closedWhen === undefined) return false;
  const value = valueAt(answer, closedWhen.at);
  return typeof value === "string" && closedWhen.is.includes(value);
}
