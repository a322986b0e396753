import type { JsonSchema } from "./open-api.ts";

/** The usual page of a search, as a provider's document names it: `x-page` is its name, `items` the schema of an item. */
interface NamedPage {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** Writes the schema of a page that a provider's document only names; null for any other schema. */
export function completePage({ "x-page": name, items }: JsonSchema): NamedPage | null {
  if (typeof name !== "string" || items === undefined) return null;
  return {
    name,
    schema: {
      description: "One page of a search, newest item first.",
      type: "object",
      properties: {
        items: { type: "array", items, description: "The items of this page, newest first." },
        start: {
          type: "integer",
          minimum: 1,
          description: "The 1-based position of the first item of this page.",
        },
        limit: {
          type: "integer",
          minimum: 1,
          description: "The most items this page could have had.",
        },
        total: {
          anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }],
          description: "How many items there are in all, or null when the insurer does not tell.",
        },
      },
      required: ["items", "start", "limit", "total"],
    },
  };
}
