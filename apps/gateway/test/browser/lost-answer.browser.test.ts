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

/** Opens the gateway's printed address, and then the page that demonstrates a lost answer in the same tab. */
async function openStory(options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const watched = await openPage(browser, gateway.process.referenceAddress, options);
  await watched.page.goto(address());
  return watched;
}

const step = (page: Page, number: number) =>
  page.getByRole("listitem").filter({
    has: page.getByRole("heading", { level: 2, name: new RegExp(`^${number} `) }),
  });

describe("the page that demonstrates a lost answer", () => {
  it("the demonstration page shows a lost answer, the reconciliation, the single application and the repeated answer", async () => {
    const { end, page } = await openStory();
    const keys: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") keys.push(request.headers()["idempotency-key"]);
    });
    await page.getByRole("button", { name: "Start" }).click();
    // Without a token the page shows a message at the token's field.
    await page.getByText("Sending needs a token.").waitFor();
    await page.locator("#token:focus").waitFor();
    await page.getByRole("button", { name: "Get a development token" }).click();
    for (const name of ["Start", "Start again"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("status").getByText("Done: one application").waitFor();
      await step(page, 1).getByText("504 The insurer may have acted").waitFor();
      await step(page, 1)
        .getByRole("img", { name: "reached the insurer: the answer is lost" })
        .waitFor();
      await step(page, 3)
        .getByText("executed The insurer has carried out the submission.")
        .waitFor();
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
    // The commands on the page contain the last run's key and the reader's token.
    await page.getByLabel("Token", { exact: true }).fill("my-token");
    const command = await step(page, 1).locator("pre[data-token]").textContent();
    expect(command).toContain("Bearer my-token'");
    expect(command).toContain(`Idempotency-Key: ${second}'`);
    await end();
  });

  it("the demonstration page reports success only if every step of the demonstration succeeded", async () => {
    const { end, page } = await openStory();
    const ended = (says: string): Promise<void> =>
      page.getByRole("status").getByText(says).waitFor();
    const press = (name: string): Promise<void> =>
      page.getByRole("button", { name, exact: true }).click();
    await press("Get a development token");
    await page.getByText("This tab uses a token").waitFor();
    await page.route("**/submissions/*", (route) =>
      route.fulfill({ json: { state: "outcome_unknown" }, headers: { "retry-after": "90" } }),
    );
    await press("Start");
    await ended("The gateway is still asking.");
    await page.unroute("**/submissions/*");
    await page.route("**/applications/search?*", (route) =>
      route.fulfill({ status: 429, json: {} }),
    );
    await press("Continue");
    await ended("The insurer's search did not answer with a list.");
    await page.unroute("**/applications/search?*");
    await page.route("**/applications", async (route) => {
      const response = await route.fetch();
      const { "idempotency-replayed": _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await press("Start again");
    await ended("The gateway did not answer with the stored answer.");
    await end();
  });

  it("the demonstration runs step by step, and its page has no serious accessibility fault in light and dark mode after a run", async () => {
    const { end, page } = await openStory({ bypassCSP: true });
    await page.getByRole("button", { name: "Get a development token" }).click();
    await page.getByText("This tab uses a token").waitFor();
    for (const done of [1, 2, 3, 4]) {
      await page.getByRole("button", { name: "Next step" }).click();
      await page.getByText(`Step ${done} of 5 is done.`).waitFor();
    }
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Done: one application").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }
    await end();
  });

  it("the demonstration page shows the commands and example answers even without scripts", async () => {
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

const HREF = "/submissions/0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";
const sent = { "proxy-status": "gateway; received-status=500" };
const problem = <More extends object>(status: number, code: string, more: More) => ({
  ...more,
  status,
  title: code,
  code,
  type: `/reference/errors/${code}`,
  detail: "Read `outcome` first.",
});

/** Answers of the gateway, and the texts that the form shows for each answer. */
const answers = [
  {
    outcome: "unknown The request was sent to the insurer",
    answer: problem(504, "OUTCOME_UNKNOWN", {
      outcome: "unknown",
      retry: "same_key",
      reconciliation: { href: HREF },
    }),
    headers: { ...sent, "retry-after": "60" },
    picture: "reached the insurer: the answer is lost",
    buttons: ["Ask for the state", "Send again with this key"],
    texts: ["Send it again in 60 s."],
  },
  {
    outcome: "rejected The insurer refused the request",
    answer: problem(422, "PROVIDER_REJECTED", {
      outcome: "rejected",
      retry: "never",
      errors: [{ pointer: "/vehicle/modelCode", code: "VALUE", message: "is not known" }],
    }),
    headers: sent,
    picture: "reached the insurer: refused",
    buttons: [],
    texts: ["/vehicle/modelCode is not known"],
  },
  {
    outcome: "not_sent The insurer never received",
    // The address in `href` belongs to another host, so the page must not send the token there.
    answer: problem(503, "OVERLOADED", {
      outcome: "not_sent",
      retry: "safe",
      reconciliation: { href: "//other.example/submissions/1" },
    }),
    headers: {},
    picture: "ended at the gateway: not sent",
    buttons: ["Send again with this key"],
    texts: ["Send it again, after Retry-After if there is one."],
  },
  {
    outcome: "executed The insurer acted",
    answer: problem(502, "PROVIDER_BAD_RESPONSE", {
      outcome: "executed",
      retry: "never",
      insurerId: "D-000009",
      reconciliation: { href: HREF },
    }),
    headers: sent,
    picture: "reached the insurer: the answer is unusable",
    buttons: ["Ask for the state"],
    texts: ["D-000009", "Do not send it again: the insurer has carried it out."],
  },
  {
    outcome: "accepted The insurer has acted",
    answer: { status: 201, applicationId: "D-000010", note: "<b>x</b>".repeat(200) },
    headers: { location: HREF },
    picture: "reached the insurer: it acted and answered",
    buttons: ["Ask for the state", "Send again with this key"],
    texts: ["<b>x</b>"],
  },
  {
    outcome: "replayed This is the stored answer",
    answer: { status: 201, applicationId: "D-000010" },
    headers: { location: HREF, "idempotency-replayed": "true" },
    picture: "ended at the gateway: the stored answer",
    buttons: ["Ask for the state", "Send again with this key"],
    texts: ["Created"],
  },
  {
    outcome: "unknown No answer of the gateway came",
    answer: { status: 502 },
    text: "<h1>Bad gateway</h1>",
    headers: { "content-type": "text/html" },
    picture: "It is unknown how far your request came",
    buttons: ["Send again with this key"],
    texts: ["send it again with the same key"],
  },
  {
    // The insurer's answer has members with the same names as members of the gateway's problems.
    outcome: "accepted The insurer has acted",
    answer: { status: 201 },
    text: `{"code":"A1","outcome":"approved","type":"http://[","title":"Mr","errors":{},"submissionId":"1","state":"failed","reconciliation":{"href":"/other"},"policy":12345678901234567890}`,
    headers: {},
    picture: "reached the insurer: it acted and answered",
    buttons: ["Send again with this key"],
    texts: ["Created", `"policy":12345678901234567890`],
  },
];

describe("an answer in the form of a submission", () => {
  const form = (): string => `${gateway.address}/reference/providers/provider-d/createApplication`;
  const openForm = async (options: BrowserContextOptions = {}): Promise<WatchedPage> => {
    const watched = await openPage(browser, gateway.process.referenceAddress, options);
    await watched.page.goto(form());
    await watched.page.getByRole("button", { name: "Get a development token" }).click();
    await watched.page.getByText("This tab uses a token").waitFor();
    return watched;
  };

  it("the form on an endpoint's page shows a submission's outcome, next steps and diagram, on a phone in dark mode", async () => {
    const phone = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const;
    const { end, page } = await openForm({ ...phone, bypassCSP: true });
    for (const { answer, buttons, headers, outcome, picture, text, texts } of answers) {
      const { status } = answer;
      const type = "outcome" in answer ? "application/problem+json" : "application/json";
      await page.route("**/provider-d/applications", (route) =>
        route.fulfill({
          status,
          headers: { "content-type": type, ...headers },
          body: text ?? JSON.stringify(answer),
        }),
      );
      await page.getByRole("button", { name: "Send", exact: true }).click();
      const drawn = page.locator(".drawn-answer").filter({ hasText: outcome });
      await drawn.getByRole("img", { name: picture }).waitFor();
      expect(await drawn.getByRole("button").allTextContents()).toEqual(buttons);
      for (const text of texts) await drawn.getByText(text).first().waitFor();
      await page.unroute("**/provider-d/applications");
    }
    const width = await page.evaluate("document.querySelector('.drawn-answer').scrollWidth");
    expect(width).toBeLessThan(390);
    expect(await seriousFindings(page)).toEqual([]);
    await end();
  });

  it("a reader can move by keyboard from a lost answer to the submission's state and to the repeated answer", async () => {
    const { end, page } = await openForm();
    await page.getByLabel("Sandbox scenario", { exact: true }).selectOption("UNREADABLE_ANSWER");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("alert").getByText("504 The insurer may have acted").waitFor();
    await page.getByRole("button", { name: "Ask for the state" }).press("Enter");
    // The pressed button is no longer on the page, so the next Tab key moves the focus within the new answer.
    await page.locator("h3:focus").getByText("State of the submission").waitFor();
    await page
      .locator(".drawn-answer")
      .getByText(/^(executed|still unknown)/)
      .waitFor();
    const again = page.getByRole("button", { name: "Send again with this key", disabled: false });
    await again.press("Enter");
    await page.getByRole("status").getByText("This is the stored answer").waitFor();
    await end();
  });
});
