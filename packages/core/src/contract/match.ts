import type { Endpoint, InsurerIdDeclaration, MatchField, SameContent } from "./endpoint.ts";
import { valueAt, withValueAt } from "./pointer.ts";

/** The normal forms of a submission's match fields, in Unicode NFC, by JSON Pointer. Missing fields are omitted. */
export type MatchValues = Readonly<Record<string, unknown>>;

/** Returns the JSON Pointer of a match field. */
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

/** Longest text, in characters, that a normaliser converts: a normaliser may take more than linear time. */
const LONGEST_NORMALISED = 1_024;

/** Returns the normal form of a text in a match field, in linear time. Other values are returned unchanged. */
export function normalForm(field: MatchField, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const text = nfc(value);
  return typeof field === "string" || text.length > LONGEST_NORMALISED
    ? text
    : field.normaliser.normalise(text);
}

/** Returns a copy of a body with the match fields in normal form, for comparison with other bodies of the endpoint. */
export function withNormalForms(endpoint: Endpoint, body: unknown): unknown {
  return Object.entries(matchValues(endpoint, body)).reduce(
    (placed, [pointer, value]) => withValueAt(placed, pointer, value),
    body,
  );
}

/** Returns the long form of an endpoint's `insurerId`, or undefined if the endpoint declares no `insurerId`. */
export function identifierOf({
  insurerId,
}: Pick<Endpoint, "insurerId">): InsurerIdDeclaration | undefined {
  return typeof insurerId === "string" ? { at: insurerId } : insurerId;
}

/**
 * Returns the name of the number series of an endpoint's identifiers. Endpoints with the same reconciliation search
 * share a series, unless they declare `insurerId.of`.
 * @param name - the endpoint's name in its provider
 */
export function identifierSeries(name: string, endpoint: Endpoint): string {
  return identifierOf(endpoint)?.of ?? endpoint.reconcile?.endpoint ?? name;
}

/** Reports whether each submission of an endpoint gets a new identifier, so that a repeated identifier is wrong. */
export function createsAtInsurer({ creates, insurerId, method }: Endpoint): boolean {
  return creates ?? (method === "POST" && insurerId !== undefined);
}

/** Returns the rule by which an equal request without a key counts as the same submission. */
export function sameContentOf({ method, sameContent }: Endpoint): SameContent {
  return sameContent ?? (method === "POST" ? "once" : "open");
}

/** Reports whether an answer says that the insurer declined or ended the application. */
export function isClosed({ closedWhen }: Endpoint, answer: unknown): boolean {
  if (closedWhen === undefined) return false;
  const value = valueAt(answer, closedWhen.at);
  return typeof value === "string" && closedWhen.is.includes(value);
}

/**
 * Returns a text in Unicode NFC, in linear time. NFC itself takes quadratic time for a long run of combining marks,
 * so the text is composed in parts that end with at most 30 marks (UAX 15, stream-safe text).
 */
export function nfc(text: string): string {
  return text.replaceAll(/\P{M}+\p{M}{0,30}|\p{M}{1,30}/gu, (part) => part.normalize("NFC"));
}
