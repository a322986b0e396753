import type { SandboxGateway } from "@insurance-gateway/running-gateway";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "./axe.ts";
import { startFormSite } from "./form-site.ts";
import { openPage, startVisit, type Visit, type WatchedPage } from "./open-browser.ts";

let gateway: SandboxGateway;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  visit = await startVisit();
  ({ gateway, browser } = visit);
});
afterAll(() => visit.end());

const endpoint = (path: string): string => `${gateway.address}/reference/providers/${path}`;

/** Opens the gateway's printed address, and then an endpoint's page in the same tab. */
async function open(path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const watched = await openPage(browser, gateway.process.referenceAddress, options);
  await watched.page.goto(endpoint(path));
  return watched;
}

/** Opens an endpoint's page and presses the button for a development token. */
async function openWithToken(path: string, options?: BrowserContextOptions): Promise<WatchedPage> {
  const watched = await open(path, options);
  await takeToken(watched.page);
  return watched;
}

async function takeToken(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Get a development token" }).click();
  await page.getByText("This tab uses a token").waitFor();
}

const send = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Send", exact: true }).click();

/** Returns the element in which the page shows the answer. */
const answer = (page: Page): Locator => page.locator(".try-answer");

const answered = (page: Page, status: string): Promise<void> =>
  answer(page).locator(".status", { hasText: status }).waitFor();

/** Changes the text of the example application. */
async function edit(page: Page, change: (text: string) => string): Promise<void> {
  const body = page.getByRole("textbox", { name: "Body" });
  await body.fill(change(await body.inputValue()));
}

/** Returns a list that collects the idempotency key of each application that the page sends. */
function keysOf(page: Page): (string | undefined)[] {
  const keys: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/applications"))
      keys.push(request.headers()["idempotency-key"]);
  });
  return keys;
}

describe("the form on an endpoint's page", () => {
  it("the form's button Send is at most twelve key presses from the page's top, and Ctrl+Enter in the body sends the form", async () => {
    const { end, page } = await open("provider-d/createApplication");
    const focused = (): Promise<unknown> => page.evaluate("document.activeElement.textContent");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Try it");
    await page.keyboard.press("Enter");
    let presses = 1;
    while (presses < 20 && (await focused()) !== "Send") {
      await page.keyboard.press("Tab");
      presses += 1;
    }
    expect(presses).toBeLessThanOrEqual(12);
    await takeToken(page);
    await page.getByRole("textbox", { name: "Body" }).press("Control+Enter");
    await answered(page, "201");
    await answer(page)
      .getByText(/D-\d{6}/)
      .first()
      .waitFor();
    await end();
  });

  it("the form on an endpoint's page reports a missing, invalid or refused token until the reader changes the token", async () => {
    const { end, page } = await open("provider-d/createApplication");
    const keys = keysOf(page);
    const token = page.getByLabel("Token", { exact: true });
    const note = (text: string): Promise<void> => page.getByText(text).waitFor();
    await send(page);
    await note("Sending needs a token. Press “Get a development token”");
    expect(await page.evaluate("document.activeElement.id")).toBe("token");
    await token.fill("abc…");
    await send(page);
    await note("A token has only ASCII characters");
    expect(await page.evaluate("document.activeElement.id")).toBe("token");
    expect(keys).toEqual([]);
    await token.fill("abc");
    await send(page);
    await note("The gateway does not accept this token.");
    await token.fill("abcd");
    await note("This tab keeps the token until you close the tab");
    expect(await token.getAttribute("aria-invalid")).toBeNull();
    await end();
  });

  it("the form on an endpoint's page keeps a token for all pages in the same browser tab", async () => {
    const { end, page } = await openPage(browser, `${gateway.address}/reference`);
    await page.getByLabel("Token", { exact: true }).fill(`Bearer ${gateway.token}`);
    await page.goto(endpoint("provider-b/listCountries"));
    await send(page);
    await answered(page, "200");
    await page.reload();
    expect(await page.getByLabel("Token", { exact: true }).inputValue()).toBe(gateway.token);
    await end();
  });

  it("the form on an endpoint's page shows an application's faults in the JSON view and in the field view", async () => {
    // The page's content security policy would block axe, because axe is not part of the page.
    const { page } = await openWithToken("provider-d/createApplication", { bypassCSP: true });
    await edit(page, (text) => text.replace('"123456789"', '"12", "extra": [null]'));
    await send(page);
    const body = page.getByRole("textbox", { name: "Body" });
    await expect.poll(() => body.getAttribute("aria-invalid")).toBe("true");
    const faults = page.locator(".text > .fault");
    expect(await faults.textContent()).toContain("/holder/afm must be 9 digits");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");

    await page.getByText("Fields", { exact: true }).click();
    const afm = page.getByRole("textbox", { name: /^afm/ });
    expect(await afm.inputValue()).toBe("12");
    await send(page);
    await expect.poll(() => afm.getAttribute("aria-invalid")).toBe("true");
    expect(await page.evaluate("document.activeElement.id")).toBe(await afm.getAttribute("id"));
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }
    await afm.fill("");
    await send(page);
    await page.getByText("is required", { exact: true }).waitFor();
    await afm.fill("000000012");
    await page.getByText("JSON", { exact: true }).click();
    const { holder } = JSON.parse(await body.inputValue());
    expect(holder).toMatchObject({ afm: "000000012", extra: [null] });
    await page.context().close();
  });

  it("the form on an endpoint's page repeats an application with the same idempotency key until the answer is final", async () => {
    const { page } = await openWithToken("provider-d/createApplication");
    const keys = keysOf(page);
    await edit(page, (text) => text.replace("123456789", "000000130"));
    await page.route("**/applications", async (route) => {
      await route.fetch();
      await route.abort();
    });
    const shown = page.getByRole("textbox", { name: "Idempotency-Key" });
    const first = await shown.inputValue();
    await send(page);
    await answered(page, "–");
    await page.unroute("**/applications");
    await page.reload();
    expect(await shown.inputValue()).toBe(first);
    await edit(page, (text) => text.replace("123456789", "000000130"));
    await send(page);
    await answered(page, "201");
    await answer(page)
      .getByText(/replayed/i)
      .first()
      .waitFor();
    expect(keys).toEqual([`"${first}";generated`, `"${first}";generated`]);
    expect(await shown.inputValue()).not.toBe(first);

    await shown.fill("υπόθεση 1");
    await send(page);
    await page.getByText("must have only ASCII characters").waitFor();
    await shown.fill("case-1");
    await page.getByLabel("Sandbox scenario", { exact: true }).selectOption("DECLINED");
    await send(page);
    await answer(page)
      .getByText(/DECLINED/)
      .first()
      .waitFor();
    expect(keys.at(-1)).toBe("case-1");
    expect(await shown.inputValue()).toBe("case-1");
    await page.context().close();
  });

  it("the form on an endpoint's page shows and announces a fault that belongs to no field", async () => {
    const { end, page } = await openWithToken("provider-c/downloadIpid");
    const contentType = "application/problem+json";
    const errors = [{ pointer: "/body/elsewhere", message: "is not known" }];
    const body = JSON.stringify({ title: "The request is not valid", outcome: "not_sent", errors });
    await page.route("**/ipid?*", (route) => route.fulfill({ status: 400, contentType, body }));
    await send(page);
    await page.getByRole("alert").getByText("400 The request is not valid").waitFor();
    await end();
  });

  it("the form on an endpoint's page opens a document in a tab without the token, and can cancel a slow call", async () => {
    const { end, page } = await openWithToken("provider-c/downloadIpid");
    await send(page);
    const [opened] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: "Open the document" }).click(),
    ]);
    expect(opened.url()).toMatch(/^blob:/);
    expect(await opened.evaluate("sessionStorage.length")).toBe(0);
    await opened.close();
    await page.route("**/ipid?*", () => {});
    await send(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled", { exact: true }).waitFor();
    await end();
  });

  it("the form on an endpoint's page wraps long lines of JSON, and explains without scripts how to send the request", async () => {
    const { end, page } = await open("provider-d/createApplication");
    await edit(page, () => `{"a":"${"x".repeat(5_000)}"}`);
    const box = await page.getByRole("button", { name: "Send", exact: true }).boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(1_280);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(1_280);
    await end();
    const plain = await openPage(browser, endpoint("provider-d/createApplication"), {
      javaScriptEnabled: false,
    });
    await plain.page.locator("#try-it noscript p").waitFor();
    await plain.end();
  });

  it("the form on an endpoint's page sends lists, objects, null and files as the endpoint declares these values", async () => {
    const site = await startFormSite();
    const { end, page } = await openPage(browser, site.page);
    const sent = async (): Promise<ReturnType<typeof site.last>> => {
      const response = page.waitForResponse(/reports/);
      await send(page);
      await response;
      return site.last();
    };
    await page.getByLabel("Token", { exact: true }).fill("any");
    await page.getByRole("button", { name: "Add to codes" }).click();
    await page.keyboard.type("z");
    await page.getByText("Fields", { exact: true }).click();
    await page.getByRole("button", { name: "Add to passengers" }).click();
    await page.keyboard.type("Νίκος");
    await page.getByLabel("injured").nth(1).selectOption("true");
    const first = await sent();
    expect(first).toMatchObject({
      url: "/provider-m/claims/a%2F1/reports?codes=x&codes=y&codes=z&years=2025%2C2026&period%5Bfrom%5D=2026-01",
      agent: "7",
      mediaType: "application/json",
    });
    expect(JSON.parse(first?.body ?? "")).toEqual({
      driver: null,
      passengers: [{ name: "Ελένη" }, { name: "Νίκος", injured: true }],
    });

    const driver = page.getByRole("group", { name: /^driver/ });
    await driver.getByLabel("age").fill("40");
    await send(page);
    await driver.getByText("is required", { exact: true }).waitFor();
    await driver.getByLabel("age").fill("");
    await page.getByRole("button", { name: "Remove" }).last().click();
    await page.getByText("JSON", { exact: true }).click();
    expect(JSON.parse(await page.getByRole("textbox", { name: "Body" }).inputValue())).toEqual({
      driver: null,
      passengers: [{ name: "Ελένη" }],
    });

    await page.getByLabel("Content type").selectOption("multipart/form-data");
    await page.getByLabel("note").fill("a note");
    await send(page);
    await page.getByText("is required", { exact: true }).waitFor();
    const photo = { name: "a.png", mimeType: "image/png", buffer: Buffer.from("content") };
    await page.getByLabel("photo").setInputFiles(photo);
    const upload = await sent();
    expect(upload?.mediaType).toMatch(/^multipart\/form-data; boundary=/);
    expect(upload?.body).toMatch(
      /name="note"\s+a note\s.*name="photo"; filename="a.png"\s+Content-Type: image\/png\s+content\s/s,
    );
    await page.getByLabel("Content type").selectOption("application/json");
    expect(await page.getByRole("textbox", { name: "Body" }).inputValue()).toContain("Ελένη");
    await end();
    await site.stop();
  });
});
