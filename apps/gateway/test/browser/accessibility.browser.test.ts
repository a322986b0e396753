import type { SandboxGateway } from "@insurance-gateway/running-gateway";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "./axe.ts";
import { openPage, startVisit, type Visit } from "./open-browser.ts";

let gateway: SandboxGateway;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  visit = await startVisit();
  ({ gateway, browser } = visit);
});
afterAll(() => visit.end());

/** Returns the number of pixels by which the page is wider than the window. */
async function excessWidth(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 844 });
  return Number(await page.evaluate("document.documentElement.scrollWidth")) - width;
}

/** One page of each kind, below `/reference`. */
const kinds = [
  "",
  "/el",
  "/guides",
  "/guides/submissions",
  "/errors",
  "/errors/OUTCOME_UNKNOWN",
  "/catalogue",
  "/outcomes",
  "/sandbox",
  "/limits",
  "/collections",
  "/gateway",
  "/providers/provider-d",
  "/providers/provider-d/createApplication",
  "/changelogs/provider-d",
  "/lost-answer",
  "/no-such-page",
];

describe.each(kinds)("the page /reference%s", (path) => {
  it("a reference page has no serious accessibility fault, and fits windows with a width of 390, 1,280 and 1,440 pixels", async () => {
    const { end, page } = await openPage(browser, `${gateway.address}/reference${path}`, {
      bypassCSP: true,
    });
    await page.locator("h1").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const light = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).not.toBe(light);
    expect(await seriousFindings(page)).toEqual([]);
    for (const width of [390, 1280, 1440]) expect(await excessWidth(page, width)).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await seriousFindings(page)).toEqual([]);
    await end();
  });

  it("a reference page shows the content and the navigation even without scripts", async () => {
    const { end, page } = await openPage(browser, `${gateway.address}/reference${path}`, {
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    });
    expect((await page.locator("main").textContent())?.length).toBeGreaterThan(100);
    await page.getByRole("button", { name: /Menu|Μενού/ }).click();
    await page
      .getByRole("link", { name: /^(Guides|Οδηγοί)$/ })
      .first()
      .click();
    await page.waitForURL(/reference\/guides$/);
    await end();
  });
});

it("the operator's page has no serious accessibility fault in light and dark mode", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const { end, page } = await openPage(browser, gateway.process.operationsAddress, {
      bypassCSP: true,
      colorScheme,
    });
    expect(await seriousFindings(page)).toEqual([]);
    await end();
  }
});
