import { mkdirSync, writeFileSync } from "node:fs";

/** Writes what a benchmark measured to `tooling/benchmarks/results/NAME.json`; the results before it are in git. */
export function writeResults(name: string, results: object): void {
  const folder = new URL("../results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(results, null, 2)}\n`);
}

/** Writes charts to `docs/performance`, by the names of their files. */
export function writeCharts(charts: ReadonlyMap<string, string>): void {
  const folder = new URL("../../../docs/performance/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [name, image] of charts) writeFileSync(new URL(name, folder), image);
}
