import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const PAGE = new URL("../../../docs/performance.md", import.meta.url);

/** Writes the results of a benchmark to `tooling/benchmarks/results/NAME.json`; git has the earlier results. */
export function writeResults(name: string, results: object): void {
  const folder = new URL("../results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(results, null, 2)}\n`);
}

/** A chart with a text alternative. */
export interface Chart {
  /** The file name in `docs/performance`. */
  readonly file: string;
  readonly alternative: string;
  readonly image: string;
}

/** Writes charts and replaces a section of docs/performance.md with the charts and their figures. */
export function writePage(name: string, charts: readonly Chart[], text: string): void {
  const folder = new URL("../../../docs/performance/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const { file, image } of charts) writeFileSync(new URL(file, folder), image);
  const pictures = charts.map(
    ({ alternative, file }) =>
      `![${alternative}; the table below has the figures](performance/${file})\n\n`,
  );
  const [before, after] = partsAround(name);
  writeFileSync(PAGE, `${before}${pictures.join("")}${text}${after}`);
}

/** Throws an Error if docs/performance.md does not have the section. */
export function checkPage(name: string): void {
  partsAround(name);
}

/**
 * Returns the parts of the page before and after a section: the lines between `<!-- NAME:begin -->` and `<!-- NAME:end
 * -->`.
 */
function partsAround(name: string): readonly [before: string, after: string] {
  const text = readFileSync(PAGE, "utf8");
  const mark = `<!-- ${name}:begin -->\n`;
  const begin = text.indexOf(mark) + mark.length;
  const end = text.indexOf(`<!-- ${name}:end -->`, begin);
  if (begin < mark.length || end < 0) throw new Error(`docs/performance.md has no section ${name}`);
  return [text.slice(0, begin), text.slice(end)];
}
