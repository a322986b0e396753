import type { FaultCode } from "./faults.ts";

/** The rules of core's own schemas that JSON Schema cannot express. */
export type RuleName = "plainText" | "joinedItems" | "twoDecimals" | "utc";

/**
 * The messages of the rules in `RuleName`. Each message ends a sentence that begins with the name of the field. A
 * provider's OpenAPI document contains only the rule's name (`x-rules`), so that it does not change with a message.
 */
export const namedRules: Readonly<
  Record<RuleName, { readonly code: FaultCode; readonly message: string }>
> = {
  plainText: {
    code: "FORMAT",
    message:
      "must not contain control characters, line breaks or characters that change the direction of text",
  },
  joinedItems: {
    code: "FORMAT",
    message: "must have no comma in an item, and no space at the beginning or end of an item",
  },
  twoDecimals: { code: "PRECISION", message: "must have at most two decimal places" },
  utc: { code: "FORMAT", message: "must be in UTC, with Z at the end" },
};

/** Reports whether a text is the name of a rule in `RuleName`. */
export function isRuleName(text: unknown): text is RuleName {
  return typeof text === "string" && Object.hasOwn(namedRules, text);
}
