import type { Browser, Page } from "playwright-core";

/** Milliseconds as a person reads them: the median, and the most. */
function shown(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return `${Math.round(median)} ms, ${Math.round(sorted.at(-1) ?? Number.NaN)} ms`;
}

/** Notes in the page when its heading was painted and when each long task ended, by the clock of its navigation. */
const NOTE_PAINTS = `
window.noted = { title: 0, drawn: 0, idle: 0 };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.noted.idle = Math.max(window.noted.idle, entry.startTime + entry.duration);
}).observe({ type: "longtask", buffered: true });
const look = () => {
  const heading = [...document.querySelectorAll("h1")].find((one) => one.textContent.includes(window.expectedTitle));
  if (heading !== undefined && heading.getBoundingClientRect().height > 0) requestAnimationFrame(() => { window.noted.title = performance.now(); });
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
const lookForScalar = () => {
  if (document.querySelector("#reference h1") !== null) requestAnimationFrame(() => { window.noted.drawn = performance.now(); });
  else requestAnimationFrame(lookForScalar);
};
requestAnimationFrame(lookForScalar);
`;

const QUIET_MS = 1_500;

/** A page that is measured. */
interface MeasuredPage {
  readonly address: string;
  /** A part of its heading. */
  readonly title: string;
  /** What draws it: a page of Scalar's is complete when Scalar has drawn its own heading. */
  readonly drawnBy: "gateway" | "scalar";
}

/** Opens a page several times, each time with an empty cache. */
export async function measurePage(
  browser: Browser,
  { address, drawnBy, title }: MeasuredPage,
  turns: number,
): Promise<{ readonly title: string; readonly drawn: string; readonly idle: string }> {
  const titles: number[] = [];
  const drawn: number[] = [];
  const idles: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const page = await newPage(
      browser,
      `window.expectedTitle = ${JSON.stringify(title)};${NOTE_PAINTS}`,
    );
    await page.goto(address);
    await page.evaluate(
      until(drawnBy === "scalar" ? "window.noted.drawn > 0" : "window.noted.title > 0"),
    );
    // No long task for a while: the last one that was noted was the last.
    await page.evaluate(
      until(
        `performance.now() - Math.max(window.noted.idle, window.noted.drawn, window.noted.title) > ${QUIET_MS}`,
      ),
    );
    const noted = Object(await page.evaluate("window.noted"));
    titles.push(noted.title);
    drawn.push(noted.drawn);
    idles.push(Math.max(noted.idle, noted.drawn, noted.title));
    await page.context().close();
  }
  return { title: shown(titles), drawn: shown(drawn), idle: shown(idles) };
}

/** Waits in the page: its policy keeps out what Playwright would wait with. */
function until(condition: string): string {
  return `new Promise((resolve) => { const look = () => (${condition}) ? resolve(true) : setTimeout(look, 20); look(); })`;
}

/** Types words into the search of the front page, and measures from each key to the frame that shows what it found. */
export async function measureSearch(
  browser: Browser,
  address: string,
  turns: number,
): Promise<{ readonly key: string; readonly index: string }> {
  const keys: number[] = [];
  const indexes: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const page = await newPage(browser, "");
    await page.goto(address);
    const [first = Number.NaN, ...others] = await page.evaluate<readonly number[]>(TYPE_WORDS);
    indexes.push(first);
    keys.push(...others);
    await page.context().close();
  }
  return { key: shown(keys), index: shown(indexes) };
}

/** The first key also waits for the list; every later one is measured alone. */
const TYPE_WORDS = `(async () => {
  const input = document.querySelector("#search");
  const list = document.querySelector("#results");
  const times = [];
  const words = ["pension quote", "motor application", "green card", "ταξίδι", "create claim", "serach", "insurer w renewal"];
  for (const word of words) {
    for (let length = 1; length <= word.length; length += 1) {
      const begun = performance.now();
      const changed = new Promise((resolve) => {
        const observer = new MutationObserver(() => { observer.disconnect(); resolve(); });
        observer.observe(document.querySelector("#found"), { childList: true, characterData: true, subtree: true });
        observer.observe(list, { childList: true, attributes: true, subtree: true });
      });
      input.value = word.slice(0, length);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await changed;
      times.push(performance.now() - begun);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }
  return times;
})()`;

async function newPage(browser: Browser, script: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addInitScript(script);
  return context.newPage();
}
