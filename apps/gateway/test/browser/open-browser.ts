import { type SandboxGateway, startSandboxGateway } from "@insurance-gateway/running-gateway";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

/** Chromium's path on Debian. */
const CHROMIUM = "/usr/bin/chromium";

/** The built gateway with its sandboxes, and a browser. */
export interface Visit {
  readonly gateway: SandboxGateway;
  readonly browser: Browser;
  end(): Promise<void>;
}

/** Starts the gateway and the browser. */
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

/** Starts the browser with options that prevent the browser's own requests to other hosts. */
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

/** A page that records errors on the console and requests to other hosts. */
export interface WatchedPage {
  readonly page: Page;
  /** Closes the page, and expects that the page recorded no fault. */
  readonly end: () => Promise<void>;
}

/** Opens an address in a new browser context. */
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
    // A page that calls the gateway may receive error answers, which the browser logs as errors.
    const isAnswer = /^Failed to load .* status of/.test(message.text());
    const isPage = new URL(message.location().url || url).pathname.startsWith("/reference");
    // A test that opens a missing page expects status 404.
    const isOwnStatus = message.location().url === url && /status of 404/.test(message.text());
    if (message.type() === "error" && (isPage || !isAnswer) && !isOwnStatus)
      faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`page: ${error.message}`));
  page.on("request", (request) => {
    const asked = request.url();
    // Data URLs, blobs and the browser's PDF viewer are not other hosts.
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
