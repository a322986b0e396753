import { mkdirSync, writeFileSync } from "node:fs";
import { checkSection, writeSection } from "./document.ts";

const PAGE = "performance.md";

/** Writes what a benchmark measured to `tooling/benchmarks/results/NAME.json`; the results before it are in git. */
export function writeResults(name: string, results: object): void {
  const folder = new URL("../results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(results, null, 2)}\n`);
}

/** A chart with what it shows for readers who cannot see it. */
export interface Chart {
  /** The name of its file in `docs/performance`. */
  readonly file: string;
  readonly alternative: string;
  readonly image: string;
}

/** Writes charts, and puts them before their figures into a section of docs/performance.md. */
export function writePage(name: string, charts: readonly Chart[], text: string): void {
  const folder = new URL("../../../docs/performance/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const { file, image } of charts) writeFileSync(new URL(file, folder), image);
  const pictures = charts.map(
    ({ alternative, file }) =>
      `![${alternative}; the table below has the figures](performance/${file})\n\n`,
  );
  writeSection({ document: PAGE, name }, `${pictures.join("")}${text}`);
}

/** Throws an Error when docs/performance.md has no such section. */
export function checkPage(name: string): void {
  checkSection({ document: PAGE, name });
}
