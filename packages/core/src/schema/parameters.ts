import * as z from "zod/mini";
import { namedRules, type RuleName } from "../contract/named-rules.ts";

/**
 * Marks a list that a query, path or header writes as one text with commas: `?a=1,2`. An unmarked list in a query
 * repeats the parameter: `?a=1&a=2`. Items must not contain a comma, or a space at an end. Give the list a
 * `minLength` of 1, because an empty list cannot be written.
 */
export function joined<Item extends string | number | boolean>(
  list: z.ZodMiniType<Item[], Item[]>,
): z.ZodMiniType<Item[], Item[]> {
  return list.check(
    z.refine((items) => items.every((item) => isItem(String(item))), {
      error: namedRules.joinedItems.message,
      params: { code: namedRules.joinedItems.code },
    }),
    z.meta({ "x-joined": true, "x-rules": [{ path: [], rule: "joinedItems" satisfies RuleName }] }),
  );
}

function isItem(text: string): boolean {
  return text === text.trim() && !text.includes(",");
}
