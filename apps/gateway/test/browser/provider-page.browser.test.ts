import { readFileSync } from "node:fs";
import type { SandboxGateway } from "@insurance-gateway/running-gateway";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, startVisit, type Visit, type WatchedPage } from "./open-browser.ts";

let gateway: SandboxGateway;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  visit = await startVisit();
  ({ gateway, browser } = visit);
});
afterAll(() => visit.end());

const provider = (path: string): string => `${gateway.address}/reference/providers/${path}`;

/** Opens a provider's page in a tab that has come from the printed address. */
async function openWithSecret(path: string): Promise<WatchedPage> {
  const watched = await openPage(browser, gateway.process.referenceAddress);
  await watched.page.goto(provider(path));
  return watched;
}

/** Takes a token with the page's own button, opens the client of an operation and sends its example. */
async function sendExample(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Get a development token" }).click();
  await page.getByText("In use on this page").waitFor();
  await page
    .getByRole("region", { name })
    .getByRole("button", { name: /Test Request/ })
    .click();
  await page.getByRole("button", { name: /^Send Request/ }).click();
}

describe("a provider's page", () => {
  it("has our client's snippet chosen, with Greek as it was written", async () => {
    const { end, page } = await openPage(
      browser,
      provider("provider-d#tag/submissions/POST/provider-d/applications"),
    );
    const region = page.getByRole("region", { name: "Creates a motor application" });
    await region.getByText("import { createApplication }").waitFor();
    await region.getByText("Ελένη Παπαδοπούλου").first().waitFor();
    await region.getByText("ΙΚΥ-1234").first().waitFor();
    await region.getByRole("button", { name: /TypeScript/ }).click();
    for (const language of ["curl", "Python", "Java", "C#", "Go"])
      await page.getByRole("option", { name: language, exact: true }).waitFor();
    await end();
  });

  it("sends an application with a development token, and shows the 201", async () => {
    const { end, page } = await openWithSecret(
      "provider-d#tag/submissions/POST/provider-d/applications",
    );
    await sendExample(page, "Creates a motor application");
    await page.getByText("201 Created").waitFor();
    await page
      .getByText(/D-\d{6}/)
      .last()
      .waitFor();
    // Nothing of the reader's stays in the browser.
    const kept = await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })");
    expect(kept).not.toContain("eyJ");
    await end();
  });

  it("marks the keys that it generates, shows a replayed answer, and sends a key that the reader gives", async () => {
    const { end, page } = await openWithSecret(
      "provider-d#tag/submissions/POST/provider-d/applications",
    );
    const keys: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/applications")) keys.push(request.headers()["idempotency-key"]);
    });
    const send = page.getByRole("button", { name: /^Send/ });
    const replayed = page.getByRole("status").getByText("Replayed: this is the stored answer");
    await sendExample(page, "Creates a motor application");
    await page.getByText("201 Created").waitFor();
    await send.click();
    await replayed.waitFor();
    const ownKey = page.getByRole("row", { name: /Idempotency-Key/ });
    for (const key of ["case-1", "case-2"]) {
      await ownKey.getByRole("combobox", { name: "Value" }).fill(key);
      const answered = page.waitForResponse(/applications$/);
      await send.click();
      await answered;
    }
    await replayed.waitFor({ state: "detached" });
    const generated = expect.stringMatching(/^"[0-9a-f-]{36}";generated$/);
    expect(keys).toEqual([generated, generated, "case-1", "case-2"]);
    expect(keys[0]).not.toBe(keys[1]);
    await end();
  });

  it("lets the PDF be kept as a file", async () => {
    const { end, page } = await openWithSecret(
      "provider-c#tag/documents/GET/provider-c/application/ipid",
    );
    await sendExample(page, "Downloads an application's Insurance Product Information Document");
    await page.getByText("200 OK").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download Response Body" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("ipid.pdf");
    const file = readFileSync((await download.path()) ?? "");
    expect(file.subarray(0, 5).toString("latin1")).toBe("%PDF-");
    await end();
  });

  it("is dark where the reader's system is, and lists what there is by keyboard", async () => {
    const { end, page } = await openPage(browser, provider("provider-d"), { colorScheme: "dark" });
    await page.locator("#reference h1").getByText("Provider D").waitFor();
    expect(await page.locator("body").getAttribute("class")).toContain("dark-mode");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("customer");
    await page.getByRole("option", { name: /Finds a customer's applications/ }).waitFor();
    await end();
  });

  it("is a link away from the front page, and leads back", async () => {
    const { end, page } = await openPage(browser, `${gateway.address}/reference`);
    await page.getByRole("link", { name: "Provider A", exact: true }).click();
    await page.getByRole("heading", { name: "Provider A" }).waitFor();
    await page.getByRole("link", { name: "Insurance Gateway" }).click();
    await page.waitForURL(/reference$/);
    await end();
  });

  it("keeps the list of its endpoints where the document cannot be fetched", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.route("**/page.json", (route) => route.fulfill({ status: 503, body: "{}" }));
    const failed = page.waitForEvent("pageerror");
    await page.goto(provider("provider-d"));
    expect((await failed).message).toContain("503");
    await page.getByRole("link", { name: "POST /provider-d/applications" }).waitFor();
    await context.close();
  });
});
