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

const front = (): string => `${gateway.address}/reference`;

describe("the front page of the reference", () => {
  it("the reference's front page inserts a development token into the first example call, which then works unchanged", async () => {
    const { end, page } = await openPage(browser, gateway.process.referenceAddress);
    // The page removes the secret from the address, so that readers do not copy the secret.
    expect(page.url()).toBe(front());
    await page.getByRole("button", { name: "Get a development token" }).click();
    await page.getByText("This tab uses a token").waitFor();
    const call = (await page.locator("pre").first().textContent()) ?? "";
    expect(call).not.toContain("YOUR_TOKEN");
    const [, url = ""] = /curl (\S+)/.exec(call) ?? [];
    const [, token = ""] = /Bearer ([^']+)/.exec(call) ?? [];
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    await end();
  });

  it("the reference's front page offers a development token only to a browser that opened the gateway's printed address", async () => {
    const { end, page } = await openPage(browser, front());
    await page.getByRole("button", { name: "Get a development token" }).click();
    await page.getByText("Open the address that the gateway printed").waitFor();
    expect(await page.locator("pre").first().textContent()).toContain("YOUR_TOKEN");
    await end();
  });

  it("the reference's front page inserts the reader's token into the example call, and sends the token to no server", async () => {
    const { end, page } = await openPage(browser, front());
    const asked: string[] = [];
    page.on("request", (request) => {
      asked.push(
        `${request.url()} ${request.postData() ?? ""} ${JSON.stringify(request.headers())}`,
      );
    });
    await page.getByLabel("Token", { exact: true }).fill("my-own-token");
    expect(await page.locator("pre").first().textContent()).toContain("Bearer my-own-token");
    // The page fetches its search index after the token was typed, so the test would see the token in a request.
    await page.getByRole("combobox").fill("brands");
    await page.getByRole("option").first().waitFor();
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.join()).not.toContain("my-own-token");
    await end();
  });

  it("the reference's front page has links to endpoints, guides, errors and test values, in English and Greek", async () => {
    const { end, page } = await openPage(browser, front());
    await page.getByRole("link", { name: "Ελληνικά" }).click();
    await page.getByRole("heading", { name: "Μία διεύθυνση για κάθε ασφαλιστική" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("el");
    await page.getByRole("link", { name: "Αίτηση ασφάλισης αυτοκινήτου" }).waitFor();
    await page.getByRole("button", { name: "Αντιγραφή" }).first().waitFor();
    await page.getByRole("button", { name: "Διακριτικό για ανάπτυξη" }).click();
    await page.getByText("Ανοίξτε στο μηχάνημα της πύλης").waitFor();
    await page.getByRole("link", { name: "English" }).click();
    const main = page.getByRole("main");
    for (const letter of ["A", "B", "C", "D", "E"])
      expect(
        await main.getByRole("link", { name: `Provider ${letter}`, exact: true }).count(),
      ).toBe(1);
    await main.getByRole("link", { name: "Submissions", exact: true }).click();
    await page.getByRole("navigation", { name: "On this page" }).getByRole("link").first().click();
    const pages = page.getByRole("navigation", { name: "Pages" });
    await pages.getByRole("link", { name: "Errors" }).click();
    await page.getByRole("link", { name: "OUTCOME_UNKNOWN" }).click();
    await page.getByRole("heading", { name: "What to do next" }).waitFor();
    await pages.getByRole("link", { name: "Sandbox" }).click();
    await page.getByText("LOST_ANSWER").first().waitFor();
    await end();
  });
});
