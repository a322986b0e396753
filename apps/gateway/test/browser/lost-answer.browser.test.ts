import type { SandboxGateway } from "@insurance-gateway/running-gateway";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "./axe.ts";
import { openPage, startVisit, type Visit, type WatchedPage } from "./open-browser.ts";

let gateway: SandboxGateway;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  visit = await startVisit();
  ({ gateway, browser } = visit);
});
afterAll(() => visit.end());

const address = (): string => `${gateway.address}/reference/lost-answer`;

/** Opens the page in a tab that has come from the printed address. */
async function openStory(options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const watched = await openPage(browser, gateway.process.referenceAddress, options);
  await watched.page.goto(address());
  return watched;
}

const step = (page: Page, number: number) =>
  page.getByRole("listitem").filter({
    has: page.getByRole("heading", { level: 2, name: new RegExp(`^${number} `) }),
  });

describe("the page that loses an answer", () => {
  it("shows a lost answer, its resolution, one application and the replay, twice", async () => {
    const { end, page } = await openStory();
    const keys: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") keys.push(request.headers()["idempotency-key"]);
    });
    await page.getByRole("button", { name: "Start" }).click();
    // Without a token it says so, at the field.
    await page.getByText("A token is needed").waitFor();
    await page.locator("#token:focus").waitFor();
    await page.getByRole("button", { name: "Get a development token" }).click();
    for (const name of ["Start", "Start again"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("status").getByText("Done: one application").waitFor();
      await step(page, 1).getByText("504 The insurer may have acted").waitFor();
      await step(page, 1)
        .getByRole("img", { name: "reached the insurer: the answer is lost" })
        .waitFor();
      await step(page, 3).getByText("executed The insurer has carried it out.").waitFor();
      await step(page, 4).getByText("Applications of this customer at the insurer: 1.").waitFor();
      await step(page, 5).getByText("replayed This is the stored answer").waitFor();
      await step(page, 5)
        .getByText("Applications of this customer at the insurer now: 1.")
        .waitFor();
    }
    const [first, replay, second] = keys.slice(1);
    expect(keys.slice(1)).toHaveLength(4);
    expect(replay).toBe(first);
    expect(second).not.toBe(first);
    await end();
  });

  it.each(["light", "dark"] as const)(
    "has no serious finding of axe in the %s, before and after a run",
    async (colorScheme) => {
      const { end, page } = await openStory({ colorScheme, bypassCSP: true });
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole("button", { name: "Get a development token" }).click();
      await page.getByText("In use").waitFor();
      for (const step of [1, 2, 3, 4]) {
        await page.getByRole("button", { name: "Next step" }).click();
        await page.getByText(`Step ${step} of 5 is done.`).waitFor();
      }
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Done: one application").waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await end();
    },
  );

  it("tells the story with commands and example answers without scripts", async () => {
    const { end, page } = await openPage(browser, address(), { javaScriptEnabled: false });
    expect(await page.getByRole("button", { name: "Start" }).count()).toBe(0);
    await step(page, 1)
      .getByText(/curl -X POST .*Idempotency-Key: YOUR_KEY/s)
      .waitFor();
    await step(page, 1).getByText('"outcome": "unknown"').waitFor();
    await step(page, 3).getByText('"state": "succeeded"').waitFor();
    await step(page, 4)
      .getByText(/applications\/search\?clientAfm=/)
      .waitFor();
    await step(page, 5).getByText("Idempotency-Replayed: true").last().waitFor();
    await end();
  });
});
