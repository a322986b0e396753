/** No more of a value's length is shown than this. */
const MOST_DOTS = 8;

/**
 * Every value within a JSON value, masked, by its place as a JSON Pointer (RFC 6901): names are shown whole, of a value its
 * first character and, up to nine, how many it has. What would be told by its first character is a dot: a value of one
 * character, true, false and null.
 */
export function maskedValues(value: unknown, place = ""): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return { [place]: masked(value) };
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, part]) =>
      maskedValues(part, `${place}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
    ),
  );
}

function masked(value: unknown): string {
  const characters =
    typeof value === "string" || typeof value === "number" ? Array.from(String(value)) : [];
  const [first = "", ...others] = characters;
  return others.length === 0 ? "•" : first + "•".repeat(Math.min(others.length, MOST_DOTS));
}
