import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { readOptions, wholeNumber } from "./command-line.ts";
import { interleave } from "./interleave.ts";
import { describeMachine, machineText, packageVersion } from "./machine.ts";
import { markdownTable } from "./markdown-table.ts";
import { measurePage, type PageFigures } from "./pages/measure-page.ts";
import { MANY_ENDPOINTS, startPageServer } from "./pages/page-server.ts";
import { rounded } from "./percentile.ts";
import { checkPage, writePage, writeResults } from "./results.ts";
import { medianOf } from "./statistics.ts";

const HELP = `npm run bench:pages -- [OPTION]...

Opens pages of the API reference, and Redoc with the same document, in Chromium without a cache.
It prints the transferred bytes, the time until the page is usable, the time for which it blocks the
main thread, and its layout shift. The pages take turns.

  --rounds N      rounds (default: 5)
  --json          print the result as JSON instead of a table
  --write         write tooling/benchmarks/results/pages.json, and the table of docs/performance.md
`;

const { json, rounds, write } = readOptions(HELP, () => {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      rounds: { type: "string", default: "5" },
    },
  });
  return { ...values, rounds: wholeNumber("rounds", values.rounds) };
});
if (write) checkPage("pages");

const many = MANY_ENDPOINTS.toLocaleString("en");
const pages: readonly { readonly name: string; readonly path: string }[] = [
  { name: "an endpoint, of 2", path: "/reference/providers/small/createApplication" },
  { name: "Redoc, 2 endpoints", path: "/redoc/small" },
  { name: `an endpoint, of ${many}`, path: "/reference/providers/large/createApplication0" },
  { name: `a provider, ${many} endpoints`, path: "/reference/providers/large" },
  { name: `Redoc, ${many} endpoints`, path: "/redoc/large" },
];
const columns: Readonly<Record<string, (figures: PageFigures) => number>> = {
  "kB, compressed": ({ bytes }) => bytes / 1_000,
  requests: ({ requests }) => requests,
  "usable after, ms": ({ usableMs }) => usableMs,
  "blocked, ms": ({ blockedMs }) => blockedMs,
  "layout shift": ({ shift }) => shift,
};

const machine = describeMachine({ redoc: packageVersion("redoc") });
const server = await startPageServer();
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const chromiumVersion = browser.version();
// The first visit of each page is not counted, because the server compresses the page then.
const found = await interleave(pages, rounds + 1, async ({ path }, round) => {
  process.stderr.write(`round ${round} of ${rounds}: ${path}\n`);
  return await measurePage(browser, server.origin + path);
});
await browser.close();
await server.stop();

const rows = [...found].map(([{ name }, [, ...counted]]) => ({
  page: name,
  ...Object.fromEntries(
    Object.entries(columns).map(([column, pick]) => [
      column,
      shown(column, medianOf(counted.map(pick)).median),
    ]),
  ),
}));
const measured = machine();
const text = `${machineText(measured)} Chromium ${chromiumVersion}. Median of ${rounds} rounds.\n\n${markdownTable(rows)}\n`;
process.stdout.write(json ? `${JSON.stringify(rows, null, 2)}\n` : text);
if (write) {
  writeResults("pages", { machine: measured, rounds, rows });
  writePage("pages", [], text);
}

function shown(column: string, value: number): number {
  return column === "layout shift" ? rounded(value) : Math.round(value);
}
