import { type Machine, machineText } from "../machine.ts";
import { markdownTable } from "../markdown-table.ts";
import { rounded } from "../percentile.ts";
import { type Estimate, verdict } from "../statistics.ts";
import type { Amount, Costs, Measured } from "./measure.ts";
import { BARE } from "./peers.ts";
import { GATEWAY, type Row, rows } from "./rows.ts";
import { type SteadyLatency, steadyMethod } from "./steady.ts";
import { ONE_PROCESS, TWO_PROCESSES } from "./two-processes.ts";

/** One row with what was measured for it; the first is the bare proxy. */
export interface MeasuredRow extends Row {
  readonly measured: readonly Measured[];
}

/** Figures by variant. */
export type Figures<Value> = Readonly<Record<string, Value>>;

/** Everything that a run of `npm run bench:gateway` measured, as its result file has it; figures by variant. */
export interface GatewayResults {
  readonly machine: Machine;
  readonly amount: Amount;
  readonly generator: string;
  /** One fdatasync of 4 kB, in milliseconds. */
  readonly fdatasyncMs: number;
  readonly rows: readonly MeasuredRow[];
  /** MB at rest. */
  readonly rest: Figures<number>;
  /** Milliseconds that a quote takes longer than through nginx, one connection. */
  readonly latency: Figures<Estimate>;
  readonly steady: Figures<SteadyLatency>;
  /** MB more than at rest while 50 slow readers get 10 MB each. */
  readonly readers: Figures<number>;
  /** A quote with two processes and with one, whose `ratio` is that of two over one. */
  readonly processes: readonly Costs[];
  /** How much of them was measured. */
  readonly processesAmount: Amount;
}

/** Everything as Markdown: the table of processor times, the ratios beside their bars, the other bars, every round's spread. */
export function resultsText(results: GatewayResults): string {
  const { amount, fdatasyncMs, generator, machine } = results;
  const method = `Median of ${amount.rounds} interleaved rounds of about ${amount.requests} requests over ${amount.connections} connections, sent by ${generator}; one fdatasync takes ${fdatasyncMs} ms.`;
  return [
    `${machineText(machine)} ${method}`,
    ...(results.rows.length === 0
      ? []
      : [
          `**Processor time of one request, in µs**`,
          costTable(results.rows),
          `**The gateway beside the bare proxy** (${BARE}: its processor time ÷ the gateway's; higher is better)`,
          ratioTable(results.rows),
        ]),
    `**Latency and memory**`,
    markdownTable(otherBars(results).map(barText)),
    ...steadyTexts(results.steady),
    ...(results.rows.length === 0
      ? []
      : [`**Rate, latency and memory of each**`, detailTable(results.rows)]),
    "",
  ].join("\n\n");
}

function costTable(measured: readonly MeasuredRow[]): string {
  const peers = [
    ...new Set(measured.flatMap((row) => row.measured.map(({ variant }) => variant))),
  ].filter((name) => !name.startsWith(GATEWAY));
  return markdownTable(
    measured.map((row) => {
      const cost = (name: string): string | number => {
        const found = row.measured.find(({ variant }) => variant === name);
        return found === undefined ? "–" : Math.round(found.processorUs.median);
      };
      return {
        work: row.title,
        ...Object.fromEntries(peers.map((name) => [name, cost(name)])),
        "the gateway, all on": cost(row.gateway),
      };
    }),
  );
}

function ratioTable(measured: readonly MeasuredRow[]): string {
  return markdownTable(
    measured.map((row) => {
      const ratio = ownOf(row)?.ratio;
      return {
        work: row.title,
        "bare ÷ gateway": ratio === undefined ? "–" : rounded(ratio.median),
        interval: ratio === undefined ? "–" : intervalText(ratio),
        wanted: `≥ ${row.wanted}`,
        stretch: row.stretch,
        reached: ratio === undefined ? "–" : verdict(ratio, (one) => one >= row.wanted),
      };
    }),
  );
}

function intervalText({ confidence, high, low }: Estimate): string {
  return `${rounded(low)} to ${rounded(high)} (${Math.floor(confidence * 100)} %)`;
}

/** What the gateway of a row needed. */
export function ownOf(row: MeasuredRow): Measured | undefined {
  return row.measured.find(({ variant }) => variant === row.gateway);
}

/** A bar that is no ratio of two proxies. */
interface OtherBar {
  readonly figure: string;
  readonly value: number | Estimate;
  readonly unit: string;
  /** What the value must not exceed. */
  readonly most: number;
  /** What else was measured. */
  readonly notes?: readonly string[];
  readonly isValid?: boolean;
}

/** The bars that are no ratio, as far as the run measured them. */
function otherBars(results: GatewayResults): readonly OtherBar[] {
  return [
    ...latencyBars(results),
    ...submissionBars(results),
    ...memoryBars(results),
    ...processBars(results),
  ];
}

function barText(bar: OtherBar): Readonly<Record<string, string>> {
  const { figure, isValid = true, most, notes = [], unit, value } = bar;
  const [median, interval] =
    typeof value === "number" ? [value, []] : [value.median, [intervalText(value)]];
  const details = [...interval, ...notes].join("; ");
  return {
    figure,
    measured: `${rounded(median)} ${unit}${details === "" ? "" : ` (${details})`}`,
    wanted: `≤ ${rounded(most)} ${unit}`,
    reached: isValid ? verdict(value, (one) => one <= most) : "**not valid**",
  };
}

function latencyBars({ latency, steady }: GatewayResults): readonly OtherBar[] {
  const added = latency[GATEWAY];
  const atRate = steady[GATEWAY];
  const bars: OtherBar[] = [];
  if (added !== undefined) {
    const figure = "added p50 of a quote over nginx, one connection";
    bars.push({ figure, value: added, unit: "ms", most: 0.2 });
  }
  if (atRate !== undefined)
    bars.push({
      figure: "p99 of a quote at 70 % of the highest rate, to its p50 (see the next table)",
      value: atRate.ratio,
      unit: "×",
      most: 5,
      isValid: atRate.faults.length === 0,
    });
  return bars;
}

function submissionBars({ amount, fdatasyncMs, rows: all }: GatewayResults): readonly OtherBar[] {
  const submission = all.find(({ name }) => name === "submission");
  const durable = submission === undefined ? undefined : ownOf(submission);
  if (durable === undefined) return [];
  const turn = (amount.connections * durable.processorUs.median) / 1_000;
  const figure = `p50 of a submission, ${amount.connections} in flight (1.3 × their processor time + 4 × fdatasync)`;
  return [{ figure, value: durable.p50, unit: "ms", most: 1.3 * turn + 4 * fdatasyncMs }];
}

function memoryBars({ readers, rest, rows: all }: GatewayResults): readonly OtherBar[] {
  const loaded = all.flatMap((row) => ownOf(row)?.memory ?? []);
  const bars = [
    ["memory at rest", rest[GATEWAY], 110],
    ["memory under the load above", loaded.length > 0 ? Math.max(...loaded) : undefined, 220],
    ["50 slow readers of 10 MB PDFs, over idle", readers[GATEWAY], 128],
  ] as const;
  return bars.flatMap(([figure, value, most]) =>
    value === undefined ? [] : { figure, value, unit: "MB", most },
  );
}

function processBars({ processes, processesAmount }: GatewayResults): readonly OtherBar[] {
  const two = processes.find(({ variant }) => variant === TWO_PROCESSES);
  const one = processes.find(({ variant }) => variant === ONE_PROCESS);
  if (one === undefined || two === undefined) return [];
  const notes = [`${us(two)} at ${two.perSecond}/s, ${us(one)} at ${one.perSecond}/s`];
  const figure = "processor time of a quote, two processes to one, PostgreSQL";
  const { requests, rounds } = processesAmount;
  notes.push(`${rounds} rounds of about ${requests} requests`);
  return [{ figure, value: one.ratio, unit: "×", most: 1.05, notes }];
}

function us({ processorUs }: Costs): string {
  return `${Math.round(processorUs.median)} µs`;
}

/** The latency of each at one rate, as a table with its heading; nothing where it was not measured. */
function steadyTexts(steady: Figures<SteadyLatency>): readonly string[] {
  const all = Object.entries(steady);
  const [first] = all;
  if (first === undefined) return [];
  const table = all.map(([variant, { failed, faults, late, p50, p99, perSecond, ratio }]) => ({
    variant,
    "requests/s": perSecond,
    "p50 ms": p50,
    "p99 ms": p99,
    "p99 ÷ p50": rounded(ratio.median),
    interval: intervalText(ratio),
    "sent late, at most": `${rounded(late * 100)} %`,
    failed,
    valid: faults.length === 0 ? "yes" : `**no**: ${faults.join(", ")}`,
  }));
  return [
    `**Latency of a quote at ${first[1].duePerSecond} requests a second**`,
    steadyMethod,
    markdownTable(table),
  ];
}

function detailTable(measured: readonly MeasuredRow[]): string {
  return markdownTable(
    measured.flatMap((row) =>
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
    ),
  );
}

/** Whether a run measured everything, so that documents can be written from it. */
export function isComplete({
  latency,
  processes,
  readers,
  rest,
  rows: measured,
  steady,
}: GatewayResults): boolean {
  return (
    measured.length === rows.length &&
    processes.length > 0 &&
    [latency, readers, rest, steady].every((figures) => Object.keys(figures).length > 0)
  );
}
