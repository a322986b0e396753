import { type CreateRule, definePlugin, defineRule, type Ranged } from "@oxlint/plugins";
import { commentRules, type ProseRule, textRules, titleRules } from "./rules.ts";

type Context = Parameters<CreateRule["create"]>[0];

/** The rules of plain English for oxlint: comments, titles of tests, and texts in code. */
export default definePlugin({
  meta: { name: "prose" },
  rules: {
    comments: defineRule({
      create: (context) => ({
        Program() {
          for (const comment of context.sourceCode.getAllComments())
            for (const line of comment.value.split("\n"))
              report(context, comment, line.replace(/^\s*\*+/, "").trim(), commentRules);
        },
      }),
    }),
    titles: defineRule({
      create: (context) => ({
        CallExpression({ arguments: [title], callee }) {
          if (title?.type !== "Literal" && title?.type !== "TemplateLiteral") return;
          if (!isTest(context.sourceCode.getText(callee))) return;
          const text = context.sourceCode.getText(title).slice(1, -1);
          report(context, title, text, titleRules);
        },
      }),
    }),
    texts: defineRule({
      create: (context) => ({
        Literal(literal) {
          if (typeof literal.value === "string") report(context, literal, literal.value, textRules);
        },
        TemplateElement(element) {
          report(context, element, element.value.raw, textRules);
        },
      }),
    }),
  },
});

/** Reports whether a called function is `it` or `test`, also with a table: `it.each(rows)`. */
function isTest(callee: string): boolean {
  return /^(?:it|test)(?:$|\.)/.test(callee);
}

function report(context: Context, node: Ranged, text: string, rules: readonly ProseRule[]): void {
  for (const { advice, phrase } of rules) {
    const found = phrase.exec(text);
    if (found !== null)
      context.report({ node, message: `\`${found[0].slice(0, 40)}\`: ${advice}` });
  }
}
