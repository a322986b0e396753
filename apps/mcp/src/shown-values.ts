import { visible } from "./visible.ts";

/**
 * Every value within a JSON value, whole, one a line: its place as a JSON Pointer (RFC 6901), and it as JSON, with no
 * character that cannot be seen. No value can look like two lines, or like another value.
 */
export function shownValues(value: unknown, place = ""): readonly string[] {
  const parts = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (parts.length === 0) return [`${place}: ${visible(JSON.stringify(value))}`];
  return parts.flatMap(([name, part]) => shownValues(part, `${place}/${shownName(name)}`));
}

function shownName(name: string): string {
  const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return visible(JSON.stringify(escaped)).slice(1, -1);
}
