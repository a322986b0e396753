import { type SandboxGateway, startSandboxGateway } from "@insurance-gateway/running-gateway";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

/** Debian's. */
const CHROMIUM = "/usr/bin/chromium";

/** The built gateway with its sandboxes, and a browser to look at it. */
export interface Visit {
  readonly gateway: SandboxGateway;
  readonly browser: Browser;
  end(): Promise<void>;
}

/** Starts both. */
export async function startVisit(): Promise<Visit> {
  const gateway = await startSandboxGateway();
  const browser = await openBrowser();
  return {
    gateway,
    browser,
    async end() {
      await browser.close();
      await gateway.stop();
    },
  };
}

/** Starts it, with everything off that asks other hosts by itself. */
function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A page that keeps account of what should not be: errors on the console, requests to other hosts. */
export interface WatchedPage {
  readonly page: Page;
  /** Expects that nothing was wrong, and closes it. */
  readonly end: () => Promise<void>;
}

/** Opens an address in a context of its own. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const { origin } = new URL(url);
  const faults: string[] = [];
  page.on("console", (message) => {
    // A page that calls the gateway shows its refusals; the browser reports them, too.
    const isAnswer = /^Failed to load .* status of/.test(message.text());
    const isPage = new URL(message.location().url || url).pathname.startsWith("/reference");
    // A test that opens a missing page expects its status.
    const isOwnStatus = message.location().url === url && /status of 404/.test(message.text());
    if (message.type() === "error" && (isPage || !isAnswer) && !isOwnStatus)
      faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`page: ${error.message}`));
  page.on("request", (request) => {
    const asked = request.url();
    // Data and blobs, and the browser's own PDF viewer, are not hosts.
    if (/^(https?|wss?):/.test(asked) && !asked.startsWith(`${origin}/`))
      faults.push(`another host: ${asked}`);
  });
  await page.goto(url);
  return {
    page,
    async end() {
      await context.close();
      expect(faults).toEqual([]);
    },
  };
}
