import type { Rule } from "markdownlint";
import { documentRules } from "./rules.ts";

/** The rules of plain English for markdownlint. */
const rule: Rule = {
  names: ["prose"],
  description: "Plain English",
  tags: ["english"],
  parser: "none",
  function({ lines }, onError) {
    for (const [index, line] of lines.entries())
      for (const { advice, phrase } of documentRules)
        if (phrase.test(line)) onError({ lineNumber: index + 1, detail: advice });
  },
};

export default rule;
