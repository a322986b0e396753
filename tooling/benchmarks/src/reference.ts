import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { readNoOptions } from "./command-line.ts";
import { markdownTable } from "./markdown-table.ts";
import { startGeneratedGateway } from "./reference/generated-gateway.ts";
import { measurePage, measureSearch } from "./reference/measure-pages.ts";

readNoOptions(`npm run bench:reference

Measures how long pages of the reference take in Chromium, over a generated catalogue. It needs
/usr/bin/chromium.

In the environment:
  UPDATE_DOCS=1   writes the figures into docs/reference.md
`);

const PROVIDERS = 23;
const ENDPOINTS = 1_484;
const TURNS = 5;
const DOCUMENT = fileURLToPath(new URL("../../../docs/reference.md", import.meta.url));
const FIGURES = /(<!-- figures:begin -->\n)[\s\S]*?(<!-- figures:end -->)/;

/** `npm run bench:reference`: how long pages take in Chromium, over a generated catalogue; UPDATE_DOCS=1 keeps the figures. */
const gateway = await startGeneratedGateway(PROVIDERS, ENDPOINTS);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  const address = `${gateway.process.address}/reference`;
  const page = await measurePage(
    browser,
    { address: `${address}/providers/insurer-a`, title: "Insurer a", drawnBy: "scalar" },
    TURNS,
  );
  const catalogue = await measurePage(
    browser,
    { address: `${address}/catalogue`, title: "Catalogue", drawnBy: "gateway" },
    TURNS,
  );
  const found = await measureSearch(browser, address, TURNS);
  const line = (
    what: string,
    limit: string,
    measured: string,
  ): Readonly<Record<string, string>> => ({
    what,
    limit,
    [`median of ${TURNS}, and the most`]: measured,
  });
  const text = markdownTable([
    line("a provider's page with 65 endpoints: its title is painted", "1,500 ms", page.title),
    line("the same page: Scalar has drawn its own title", "–", page.drawn),
    line("the same page: its last long task has ended", "2,500 ms", page.idle),
    line("the catalogue of 1,484 endpoints: its title is painted", "1,500 ms", catalogue.title),
    line("the same page: its last long task has ended", "2,500 ms", catalogue.idle),
    line("the front page's search over 1,484 endpoints: a key is answered", "50 ms", found.key),
    line("the same search, first key: its list is fetched and indexed", "–", found.index),
  ]);
  process.stdout.write(`${text}\n`);
  if (process.env.UPDATE_DOCS === "1") {
    const before = readFileSync(DOCUMENT, "utf8");
    writeFileSync(
      DOCUMENT,
      before.replace(FIGURES, (_, begin, end) => `${begin}${text}\n${end}`),
    );
  }
} finally {
  await browser.close();
  await gateway.stop();
}
