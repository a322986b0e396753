import { KIND, PLACE } from "./failure.ts";

/** Whether a value is what its field may hold. */
export type Form = (value: unknown) => boolean;

/** A text of this form. */
export function text(pattern: RegExp): Form {
  return (value) => typeof value === "string" && pattern.test(value);
}

/** One of these words. */
export function oneOf(words: Iterable<string>): Form {
  const known = new Set<unknown>(words);
  return (value) => known.has(value);
}

/** A number from 0 on, always of fewer digits than a tax number. */
export const amount: Form = (value) =>
  typeof value === "number" && value >= 0 && value <= 99_999_999;

export const flag: Form = (value) => typeof value === "boolean";

/** A list of values of one form. */
export function listOf(form: Form): Form {
  return (value) => Array.isArray(value) && value.every(form);
}

/** RFC 9562. */
export const uuid: Form = text(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** What a store reports when it is unavailable: its own codes, and the words of src/store. */
export const storeDetail: Form = text(
  /^(?:[A-Z][A-Z0-9_]{2,39}|[0-9A-Z]{5}|SQLite result \w{1,9}|timeout|closed|unknown|connection lost|the thread has ended|the thread failed: [A-Za-z]\w{0,63})$/,
);

/** The kind of an error, what a store says of itself, or a kind with its places. */
export const failure: Form = (value) => {
  if (typeof value === "string") return KIND.test(value) || storeDetail(value);
  if (typeof value !== "object" || value === null) return false;
  const { kind, places = [], ...rest }: { kind?: unknown; places?: unknown } = value;
  return (
    Object.keys(rest).length === 0 &&
    typeof kind === "string" &&
    KIND.test(kind) &&
    Array.isArray(places) &&
    places.every((place) => typeof place === "string" && PLACE.test(place))
  );
};
