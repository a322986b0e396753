import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { SandboxGateway } from "@insurance-gateway/running-gateway";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, startVisit, type Visit } from "./open-browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let gateway: SandboxGateway;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  visit = await startVisit();
  ({ gateway, browser } = visit);
});
afterAll(() => visit.end());

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** What axe finds serious or critical, as `rule: how often`. */
async function seriousFindings(
  address: string,
  colorScheme: "dark" | "light",
): Promise<readonly string[]> {
  // axe is no part of the page, whose policy would keep it out.
  const { end, page } = await openPage(browser, address, { colorScheme, bypassCSP: true });
  await page.locator("h1").first().waitFor();
  await page.evaluate(axe);
  const violations = await page.evaluate<readonly Violation[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)',
  );
  await end();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.length}, first at ${nodes[0]?.target.join(" ")}`);
}

describe.each(["light", "dark"] as const)("in the %s", (colorScheme) => {
  it.each([
    "",
    "/errors",
    "/errors/OUTCOME_UNKNOWN",
    "/catalogue",
    "/outcomes",
    "/sandbox",
    "/limits",
    "/collections",
    "/providers/provider-d",
    "/providers/provider-d/createApplication",
    "/providers/provider-d/changelog",
  ])("axe finds nothing serious on reference%s", async (path) => {
    expect(await seriousFindings(`${gateway.address}/reference${path}`, colorScheme)).toEqual([]);
  });

  it("axe finds nothing serious on the operator's page", async () => {
    expect(await seriousFindings(gateway.process.operationsAddress, colorScheme)).toEqual([]);
  });
});
