import { type Machine, machineText } from "../machine.ts";
import { markdownTable } from "../markdown-table.ts";
import { rounded } from "../percentile.ts";
import type { Estimate } from "../statistics.ts";
import type { HostileCost } from "./hostile.ts";
import type { MeasuredCost, MeasurementSize } from "./measure.ts";
import type { Overload } from "./overload.ts";
import { BARE_PROXY } from "./peers.ts";
import type { RequestCost } from "./requests.ts";
import { GATEWAY, type Row, rows } from "./rows.ts";

/** A row of the table with the measured figures by variant; the first variant is the bare proxy. */
export interface MeasuredRow extends Row {
  readonly measured: readonly MeasuredCost[];
}

/** One figure for each variant, by the variant's name. */
export type Figures<Value> = Readonly<Record<string, Value>>;

/** All results of `npm run bench:gateway` in the format of the result file; figures are by variant. */
export interface GatewayResults {
  readonly machine: Machine;
  readonly amount: MeasurementSize;
  /** The duration of one fdatasync of 4 kB, in milliseconds. */
  readonly fdatasyncMs: number;
  readonly rows: readonly MeasuredRow[];
  /** Memory at rest, in MB. */
  readonly rest: Figures<number>;
  /** The additional latency of a quote compared with nginx over one connection, in milliseconds. */
  readonly latency: Figures<Estimate>;
  /** The additional memory, in MB, while 50 slow readers each load 10 MB. */
  readonly readers: Figures<number>;
  readonly requests: readonly RequestCost[];
  /** The result under overload; null if the run did not measure overload. */
  readonly overload: Overload | null;
  readonly hostile: readonly HostileCost[];
}

/** Formats all results as Markdown. */
export function resultsText(results: GatewayResults): string {
  const { amount, fdatasyncMs, hostile, machine, requests } = results;
  const method = `Median of ${amount.rounds} interleaved rounds of about ${amount.requests} requests over ${amount.connections} connections, sent by wrk; one fdatasync takes ${fdatasyncMs} ms.`;
  const tables: readonly (readonly [title: string, table: readonly Line[]])[] = [
    [`Processor time of one request, in µs`, costLines(results.rows)],
    [
      `The gateway beside the bare proxy (${BARE_PROXY}: its processor time ÷ the gateway's; higher is better)`,
      ratioLines(results.rows),
    ],
    [`Latency, memory and overload`, otherLines(results)],
    [`What one request runs and allocates`, requests.map((cost) => ({ ...cost }))],
    [`Hostile messages of 60 kB beside messages of 30 kB`, hostile.map(hostileLine)],
    [`Rate, latency and memory of each`, detailLines(results.rows)],
  ];
  return [
    `${machineText(machine)} ${method}`,
    ...tables
      .filter(([, lines]) => lines.length > 0)
      .flatMap(([title, lines]) => [`**${title}**`, markdownTable(lines)]),
    "",
  ].join("\n\n");
}

type Line = Readonly<Record<string, string | number>>;

function costLines(measured: readonly MeasuredRow[]): readonly Line[] {
  const peers = [
    ...new Set(measured.flatMap((row) => row.measured.map(({ variant }) => variant))),
  ].filter((name) => !name.startsWith(GATEWAY));
  return measured.map((row) => {
    const cost = (name: string): string | number => {
      const found = row.measured.find(({ variant }) => variant === name);
      return found === undefined ? "–" : Math.round(found.processorUs.median);
    };
    return {
      work: row.title,
      ...Object.fromEntries(peers.map((name) => [name, cost(name)])),
      "the gateway, all on": cost(row.gateway),
    };
  });
}

function ratioLines(measured: readonly MeasuredRow[]): readonly Line[] {
  return measured.flatMap((row) => {
    const ratio = gatewayCostOf(row)?.ratio;
    if (ratio === undefined) return [];
    return [
      {
        work: row.title,
        "bare ÷ gateway": rounded(ratio.median),
        interval: intervalText(ratio),
      },
    ];
  });
}

function intervalText({ confidence, high, low }: Estimate): string {
  return `${rounded(low)} to ${rounded(high)} (${Math.floor(confidence * 100)} %)`;
}

/** Returns the measured cost of the gateway in a row of the table. */
export function gatewayCostOf(row: MeasuredRow): MeasuredCost | undefined {
  return row.measured.find(({ variant }) => variant === row.gateway);
}

function otherLines(results: GatewayResults): readonly Line[] {
  const { latency, overload, readers, rest } = results;
  const added = latency[GATEWAY];
  const loaded = results.rows.flatMap((row) => gatewayCostOf(row)?.memory ?? []);
  const lines: readonly (readonly [figure: string, measured: string | undefined])[] = [
    [
      "added p50 of a quote over nginx, one connection",
      added && `${rounded(added.median)} ms, ${intervalText(added)}`,
    ],
    ["memory at rest", megabytes(rest[GATEWAY])],
    ["memory under the load above", megabytes(loaded.length > 0 ? Math.max(...loaded) : undefined)],
    ["50 slow readers of 10 MB PDFs, over idle", megabytes(readers[GATEWAY])],
    ...(overload === null ? [] : overloadLines(overload)),
  ];
  return lines.flatMap(([figure, measured]) =>
    measured === undefined ? [] : { figure, measured },
  );
}

function megabytes(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value} MB`;
}

function overloadLines(overload: Overload): readonly (readonly [string, string])[] {
  const { best, left, memory, overloaded, p50, p99, refused, wrong } = overload;
  return [
    ["good answers over 64 connections", `${best}/s`],
    [
      "good answers over 3,000 connections that always have a request",
      `${overloaded}/s, ${rounded(left.median)} of the others, ${intervalText(left)}`,
    ],
    ["p50 and p99 of all answers there", `${p50} ms, ${p99} ms`],
    ["refusals: 429 or 503 with Retry-After", String(refused)],
    ["all other answers, and connections that failed", String(wrong)],
    ["memory under that load", `${memory} MB`],
  ];
}

function hostileLine({ dialect, largest, longestMs, measured, slow }: HostileCost): Line {
  return {
    dialect,
    "messages that took 4 ms or more": measured,
    "largest ratio": rounded(largest),
    "longest, ms": Math.round(longestMs),
    "above 2.5": slow.length === 0 ? "none" : slow.map((text) => `\`${text}\``).join(", "),
  };
}

function detailLines(measured: readonly MeasuredRow[]): readonly Line[] {
  return measured.flatMap((row) =>
    row.measured.map((one) => ({
      work: row.name,
      variant: one.variant,
      "µs per request": Math.round(one.processorUs.median),
      "bare ÷ this": rounded(one.ratio.median),
      interval: intervalText(one.ratio),
      "requests/s": one.perSecond,
      "p50 ms": one.p50,
      "p99 ms": one.p99,
      "memory MB": one.memory,
    })),
  );
}

/** Reports whether a run measured everything, so that documents can be written from its results. */
export function isComplete({
  latency,
  overload,
  readers,
  requests,
  rest,
  rows: measured,
}: GatewayResults): boolean {
  return (
    measured.length === rows.length &&
    overload !== null &&
    requests.length > 0 &&
    [latency, readers, rest].every((figures) => Object.keys(figures).length > 0)
  );
}
