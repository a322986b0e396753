import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Returns axe's serious and critical findings on the current state of a page, as `rule: number`.
 * @param page - needs a context with `bypassCSP`, because the page's content security policy would block axe
 */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)`,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.length}, first at ${nodes[0]?.target.join(" ")}`);
}
