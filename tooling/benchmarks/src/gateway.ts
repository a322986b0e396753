import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release } from "node:os";
import { parseArgs } from "node:util";
import { send, startBare, startGateway, startInsurer, type Variant } from "./gateway/processes.ts";
import { type Work, workNamed, works } from "./gateway/works.ts";
import { markdownTable } from "./markdown-table.ts";
import { percentile, rounded } from "./percentile.ts";

/**
 * What a request costs the gateway with everything on, in processor time, beside a bare proxy in the same run. The
 * variants take turns, so that what else the machine does falls on all of them; the ratio is what can be compared.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    requests: { type: "string", default: "4000" },
    connections: { type: "string", default: "50" },
    /** The folder of another checkout that is built: it is measured in the same run. */
    base: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const requests = Number(values.requests);
const connections = Number(values.connections);
const measured = positionals.length === 0 ? works : positionals.map(workNamed);

/** Lookups are asked for each time. */
const ASK_EACH_TIME = { answers: { freshMinutes: 0 } };

interface Round {
  readonly processorUs: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly memory: number;
}

const insurer = await startInsurer();
const variants: Variant[] = [
  await startBare(insurer.origin),
  ...(values.base === undefined
    ? []
    : [await startGateway(insurer.origin, { name: "base", checkout: values.base })]),
  await startGateway(insurer.origin, { name: "gateway", provider: ASK_EACH_TIME }),
  await startGateway(insurer.origin, { name: "gateway, lookups from memory" }),
];
const at = new Date().toISOString();
const loadBefore = loadavg();
const results: object[] = [];
try {
  for (const work of measured) {
    results.push(...(await measureWork(work)));
    // Also of a run that is ended early.
    write();
  }
} finally {
  for (const variant of variants) await variant.stop();
  await insurer.stop();
}

/** Measures one work with every variant, in turns. */
async function measureWork(work: Work): Promise<readonly object[]> {
  // From memory, what is no lookup is as without.
  const taking = variants.filter(({ name }) => work.isLookup || !name.includes("memory"));
  const found = new Map<Variant, Round[]>(taking.map((variant) => [variant, []]));
  // What the first requests compile is not measured.
  for (const variant of taking) await round(variant, work, requests / 2);
  for (let number = 0; number < rounds; number += 1)
    for (const [variant, those] of found) those.push(await round(variant, work, requests));
  const median = (those: readonly Round[], value: (one: Round) => number): number =>
    percentile(those.map(value), 0.5);
  const [bare = []] = found.values();
  const rows = [...found].map(([{ name }, those]) => {
    const ratios = those.map(
      ({ processorUs }, number) => (bare[number]?.processorUs ?? 0) / processorUs,
    );
    return {
      work: work.name,
      variant: name,
      "µs per request": Math.round(median(those, ({ processorUs }) => processorUs)),
      "bare ÷ this": percentile(ratios, 0.5),
      "lowest to highest": `${rounded(Math.min(...ratios))} to ${rounded(Math.max(...ratios))}`,
      "requests/s": Math.round(median(those, ({ perSecond }) => perSecond)),
      "p50 ms": rounded(median(those, ({ p50 }) => p50)),
      "p99 ms": rounded(median(those, ({ p99 }) => p99)),
      "memory MB": Math.round(median(those, ({ memory }) => memory) / 1_048_576),
    };
  });
  process.stdout.write(`${markdownTable(rows)}\nLoad average ${loadavg()[0]?.toFixed(1)}.\n\n`);
  return rows;
}

async function round(variant: Variant, work: Work, count: number): Promise<Round> {
  const { origin, token } = variant;
  const before = await variant.report();
  const order = { origin, token, work: work.name, requests: count, connections };
  const { p50, p99, seconds } = await send(order);
  const { memory, processorUs } = await variant.report();
  return {
    processorUs: (processorUs - before.processorUs) / count,
    perSecond: count / seconds,
    p50,
    p99,
    memory,
  };
}

function write(): void {
  const versionOf = (name: string): string =>
    JSON.parse(
      readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8"),
    ).version;
  const machine = {
    at,
    processor: `${availableParallelism()} × ${cpus()[0]?.model ?? "unknown"}`,
    linux: release(),
    loadBefore,
    loadAfter: loadavg(),
    node: process.versions.node,
    fastify: versionOf("fastify"),
    undici: versionOf("undici"),
    revision: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
  };
  const folder = new URL("../results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const file = new URL(`gateway-${at.slice(0, 16).replaceAll(":", "")}.json`, folder);
  const content = { machine, rounds, requests, connections, results };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
