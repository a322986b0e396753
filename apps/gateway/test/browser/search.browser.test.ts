import type { SandboxGateway } from "@insurance-gateway/running-gateway";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, startVisit, type Visit } from "./open-browser.ts";

let gateway: SandboxGateway;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  visit = await startVisit();
  ({ gateway, browser } = visit);
});
afterAll(() => visit.end());

describe("the search on a reference page", () => {
  it.each(["", "/errors"])(
    "the search on the page /reference%s loads the search library on first use, and can be used by keyboard",
    async (path) => {
      const { end, page } = await openPage(browser, `${gateway.address}/reference${path}`);
      const loaded: string[] = [];
      page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
      await page.waitForLoadState("networkidle");
      expect(loaded.filter((one) => one.includes("search"))).toEqual([]);
      await page.keyboard.press("/");
      await page.keyboard.type("σύνταξη");
      await page.getByRole("option").first().waitFor();
      expect(loaded).toContain("/reference/assets/search.js");
      const combobox = page.getByRole("combobox");
      expect(await combobox.getAttribute("aria-expanded")).toBe("true");
      const wanted = page.getByRole("option").filter({ hasText: "calculatePensionQuote" });
      const id = await wanted.getAttribute("id");
      while ((await combobox.getAttribute("aria-activedescendant")) !== id)
        await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL(/providers\/provider-e\/calculatePensionQuote$/);
      await end();
    },
  );

  it("the reference's search groups results by kind, reports if no result is exact, and clears the results on Escape", async () => {
    const { end, page } = await openPage(browser, `${gateway.address}/reference/sandbox`);
    const combobox = page.getByRole("combobox");
    await combobox.fill("429");
    await page.locator("#results .group").getByText("Problem code").waitFor();
    await page.getByText(/^\d+ results?$/).waitFor({ state: "attached" });
    await combobox.fill("brands unicorn");
    await page.getByText("Nothing matches “brands unicorn” completely; these are close.").waitFor();
    await combobox.fill("xqzwvk");
    await page.getByText(/^Nothing is like “xqzwvk”/).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("option").count()).toBe(0);
    await end();
  });
});
