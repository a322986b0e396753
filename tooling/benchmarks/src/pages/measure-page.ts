import { setTimeout } from "node:timers/promises";
import type { Browser } from "playwright-core";

/** The figures of one visit of a page without a browser cache. */
export interface PageFigures {
  /** The compressed size of everything that the page loads, in bytes. */
  readonly bytes: number;
  readonly requests: number;
  /** Milliseconds until the heading is drawn, the page is loaded and the last long task has ended. */
  readonly usableMs: number;
  /** Total Blocking Time: milliseconds of tasks beyond the first 50 ms of each. */
  readonly blockedMs: number;
  /** Cumulative Layout Shift. */
  readonly shift: number;
}

/** Time without a long task after which a page counts as finished, in milliseconds. */
const QUIET_MS = 1_500;

const POLL_MS = 250;
const MAX_POLLS = 480;

/**
 * A script that runs at the start of the page and records its figures. It is a string because it runs in the browser.
 */
const watchScript = `
  const seen = { blocked: 0, lastTask: 0, shift: 0, heading: 0 };
  window.seen = seen;
  new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) {
      seen.blocked += Math.max(0, duration - 50);
      seen.lastTask = Math.max(seen.lastTask, startTime + duration);
    }
  }).observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  const look = () => {
    if (document.querySelector("h1")?.textContent) seen.heading = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

const isQuiet = `seen.heading > 0 && performance.now() - Math.max(seen.lastTask, seen.heading) > ${QUIET_MS}`;

const readScript = `(() => {
  const [page] = performance.getEntriesByType("navigation");
  const loaded = [page, ...performance.getEntriesByType("resource")];
  return {
    bytes: loaded.reduce((sum, one) => sum + one.encodedBodySize, 0),
    requests: loaded.length,
    usableMs: Math.max(seen.heading, page.loadEventEnd, seen.lastTask),
    blockedMs: seen.blocked,
    shift: seen.shift,
  };
})()`;

/** Opens a page in a new browser context and waits until it is finished. */
export async function measurePage(browser: Browser, address: string): Promise<PageFigures> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(watchScript);
    await page.goto(address);
    for (let polls = 0; !(await page.evaluate<boolean>(isQuiet)); polls += 1) {
      if (polls > MAX_POLLS) throw new Error(`${address} has no heading, or never ends its work`);
      await setTimeout(POLL_MS);
    }
    return await page.evaluate<PageFigures>(readScript);
  } finally {
    await context.close();
  }
}
