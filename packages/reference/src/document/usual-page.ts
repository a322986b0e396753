import type { JsonSchema } from "./open-api.ts";

/**
 * The default page of a search in a provider's document: `x-page` is the page's name, and `items` is the schema of an
 * item.
 */
interface NamedPage {
  readonly name: string;
  readonly schema: JsonSchema;
}

const labels: Readonly<Record<string, string>> = {
  items: "Αποτελέσματα",
  start: "Θέση πρώτου αποτελέσματος",
  limit: "Αποτελέσματα ανά σελίδα",
  total: "Σύνολο αποτελεσμάτων",
};

/** Returns the Greek label of a field or parameter of a search with the default paging. */
export function pageLabel(name: string): Pick<JsonSchema, "x-labels"> {
  const el = labels[name];
  return el === undefined ? {} : { "x-labels": { el } };
}

/** Returns the complete schema of a default page that a provider's document only names; null for any other schema. */
export function completePage({ "x-page": name, items }: JsonSchema): NamedPage | null {
  if (typeof name !== "string" || items === undefined) return null;
  return {
    name,
    schema: {
      description: "One page of a search, newest item first.",
      type: "object",
      properties: {
        items: {
          type: "array",
          items,
          description: "The items of this page, newest first.",
          ...pageLabel("items"),
        },
        start: {
          type: "integer",
          minimum: 1,
          description: "The 1-based position of the first item of this page.",
          ...pageLabel("start"),
        },
        limit: {
          type: "integer",
          minimum: 1,
          description: "The page size.",
          ...pageLabel("limit"),
        },
        total: {
          anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }],
          description:
            "The number of items on all pages, or null if the insurer does not report it.",
          ...pageLabel("total"),
        },
      },
      required: ["items", "start", "limit", "total"],
    },
  };
}
