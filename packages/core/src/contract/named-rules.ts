import type { FaultCode } from "./faults.ts";

/** The rules of core's own schemas that no JSON Schema can state. */
export type RuleName = "plainText" | "joinedItems" | "twoDecimals";

/**
 * These rules in words, each as the end of a sentence that begins with the field. A provider's document refers to a rule
 * by its name (`x-rules`), so that no provider changes when the words do.
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
    message: "must have no comma in an item, and no space at the beginning or end of one",
  },
  twoDecimals: { code: "PRECISION", message: "must have at most two decimal places" },
};

/** Whether a text names one of these rules. */
export function isRuleName(text: unknown): text is RuleName {
  return typeof text === "string" && Object.hasOwn(namedRules, text);
}
