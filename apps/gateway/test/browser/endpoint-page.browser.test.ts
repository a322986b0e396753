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

const endpoint = (path: string): string => `${gateway.address}/reference/providers/${path}`;

describe("an endpoint's page in the reference", () => {
  it("an endpoint's page shows all content even without scripts, and lets the reader choose a language", async () => {
    const { end, page } = await openPage(browser, endpoint("provider-d/createApplication"), {
      javaScriptEnabled: false,
    });
    await page.getByText("import { createApplication }").waitFor();
    const curl = page.getByText("--request POST");
    expect(await curl.isVisible()).toBe(false);
    await page.getByText("curl", { exact: true }).first().click();
    await curl.waitFor();
    expect(await page.getByText("import { createApplication }").isVisible()).toBe(false);
    for (const text of [
      "Registration plate as the holder writes it",
      "OUTCOME_UNKNOWN",
      "LOST_ANSWER",
    ])
      await page.getByText(text).filter({ visible: true }).first().waitFor();
    expect(await page.getByRole("button", { name: "Copy" }).count()).toBe(0);
    await end();
  });

  it("an endpoint's page shows Greek labels if the reader chooses them, and remembers the choice on other pages", async () => {
    const { end, page } = await openPage(browser, endpoint("provider-d/createApplication"));
    const label = page.getByText("Αριθμός κυκλοφορίας").first();
    await label.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Greek labels", pressed: false }).click();
    await label.waitFor();
    await page.goto(endpoint("provider-d/searchApplications"));
    await page.getByText("ΑΦΜ πελάτη").first().waitFor();
    await page.getByRole("button", { name: "Greek labels", pressed: true }).click();
    await page.getByText("ΑΦΜ πελάτη").first().waitFor({ state: "hidden" });
    await end();
  });

  it("a reader with a slow network can load an endpoint's page and send the request on the page", async () => {
    const { end, page } = await openPage(browser, endpoint("provider-a/listBrands"));
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    const slow = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
    await session.send("Network.emulateNetworkConditions", { offline: false, ...slow });
    await page.reload();
    await page.locator("#token").fill(gateway.token);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".try-answer .status", { hasText: "200" }).waitFor();
    await end();
  });

  it("a reader can reach the button Send from the top of an endpoint's page with at most twelve key presses", async () => {
    const { end, page } = await openPage(browser, endpoint("provider-d/createApplication"));
    let presses = 0;
    const tabTo = async (name: string): Promise<void> => {
      for (let focused = ""; focused !== name && presses < 30; presses += 1) {
        await page.keyboard.press("Tab");
        focused = await page.evaluate("document.activeElement?.textContent?.trim() ?? ''");
      }
    };
    await tabTo("Try it");
    await page.keyboard.press("Enter");
    await tabTo("Send");
    expect(presses + 1).toBeLessThanOrEqual(12);
    await end();
  });

  it("the button Copy copies the displayed code example", async () => {
    const { end, page } = await openPage(browser, endpoint("provider-a/listBrands"), {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("radio", { name: "Python" }).check({ force: true });
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("import requests");
    await end();
  });

  it("the reference has links from a provider's page to the provider's endpoints, between the endpoints, and back", async () => {
    const { end, page } = await openPage(browser, endpoint("provider-d"));
    await page.getByRole("link", { name: "Creates a motor application" }).click();
    await page.getByRole("link", { name: "Finds a customer's applications, newest first" }).click();
    await page.waitForURL(/provider-d\/searchApplications$/);
    await page.getByRole("link", { name: "Provider D", exact: true }).click();
    await page.getByRole("heading", { name: "Provider D" }).waitFor();
    await end();
  });
});
