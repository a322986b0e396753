import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const PAGE = new URL("../../../docs/performance.md", import.meta.url);

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
  const [before, after] = around(name);
  writeFileSync(PAGE, `${before}${pictures.join("")}${text}${after}`);
}

/** Throws an Error when docs/performance.md has no such section. */
export function checkPage(name: string): void {
  around(name);
}

/** Splits a page around the lines that a benchmark writes: between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. */
function around(name: string): readonly [before: string, after: string] {
  const text = readFileSync(PAGE, "utf8");
  const mark = `<!-- ${name}:begin -->\n`;
  const begin = text.indexOf(mark) + mark.length;
  const end = text.indexOf(`<!-- ${name}:end -->`, begin);
  if (begin < mark.length || end < 0) throw new Error(`docs/performance.md has no section ${name}`);
  return [text.slice(0, begin), text.slice(end)];
}
