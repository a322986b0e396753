/**
 * Replaces a recorded value by a synthetic one with the same structure: the same fields, nulls and booleans, and texts
 * and numbers of the same length. Days and instants are in January 2026.
 */
export function syntheticValue(value: unknown): unknown {
  if (typeof value === "string") return syntheticText(value);
  if (typeof value === "number") return Number(String(value).replaceAll(/[1-9]/g, "1"));
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(syntheticValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, syntheticValue(each)]),
  );
}

/** Maximum number of list items in an example. */
const MAX_ITEMS = 3;

function syntheticText(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return "2026-01-15";
  if (/^\d{4}-\d\d-\d\dT.*Z$/.test(text)) return "2026-01-15T10:00:00Z";
  return text
    .slice(0, 200)
    .replaceAll(/\p{N}/gu, "1")
    .replaceAll(/\p{L}/gu, (letter) => {
      const [small, capital] = /\p{Script=Greek}/u.test(letter) ? ["α", "Α"] : ["a", "A"];
      return letter === letter.toLowerCase() ? small : capital;
    });
}
