import { interleave } from "../interleave.ts";
import { percentile } from "../percentile.ts";
import { type Estimate, ratioOf } from "../statistics.ts";
import { type PacedResult, sendPaced } from "./load.ts";
import { type Amount, measureWork } from "./measure.ts";
import type { Variant } from "./processes.ts";

/** Latencies of a quote at a rate that does not depend on answers; medians of the rounds, in milliseconds. */
export interface SteadyLatency {
  /** What was due a second, and what was answered. */
  readonly duePerSecond: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** p99 divided by p50, round by round. */
  readonly ratio: Estimate;
  /** How many failed in all rounds. */
  readonly failed: number;
  /** The share that was sent more than 2 ms late and so took longer than its latency says, between 0 and 1. */
  readonly late: number;
  /** Whether the latencies are those at the rate: it was reached within 5 %, and at most 1 % was sent late. */
  readonly isAtRate: boolean;
}

/** So many requests may be under way before one is sent late. */
const CONNECTIONS = 400;
const SECONDS = 10;

/**
 * The latency of a quote at each variant, all at the same rate: what nginx and the bare proxy show is the share of the
 * load, the insurer and the machine. It needs wrk: at the bare proxy and 4,600 requests a second, the p50 is 0.6 ms with wrk, and
 * 1.7 ms with the load of the other benchmarks, which is a program on Node and looks once a millisecond what is due.
 */
export async function steadyLatency(
  variants: readonly Variant[],
  duePerSecond: number,
  rounds: number,
): Promise<ReadonlyMap<string, SteadyLatency>> {
  const found = await interleave(variants, rounds, ({ origin, token }) => {
    const order = { origin, token, work: "quote", connections: CONNECTIONS };
    return sendPaced({ ...order, perSecond: duePerSecond, seconds: SECONDS });
  });
  return new Map([...found].map(([{ name }, all]) => [name, summary(duePerSecond, all)]));
}

function summary(duePerSecond: number, rounds: readonly PacedResult[]): SteadyLatency {
  const valuesOf = (value: (round: PacedResult) => number): readonly number[] => rounds.map(value);
  const p50 = valuesOf((round) => round.p50);
  const p99 = valuesOf((round) => round.p99);
  const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
  const rates = valuesOf(({ requests, seconds }) => requests / seconds);
  const perSecond = Math.round(percentile(rates, 0.5));
  const late = sum(valuesOf((round) => round.late)) / sum(valuesOf(({ requests }) => requests));
  return {
    duePerSecond,
    perSecond,
    p50: percentile(p50, 0.5),
    p99: percentile(p99, 0.5),
    ratio: ratioOf(p99, p50),
    failed: sum(valuesOf(({ failed }) => failed)),
    late,
    isAtRate: Math.abs(perSecond / duePerSecond - 1) <= 0.05 && late <= 0.01,
  };
}

/** The highest rate of a variant, for a run that does not measure quotes. */
export async function peakOf(variant: Variant, amount: Amount): Promise<number> {
  const [found] = await measureWork("quote", [variant], { ...amount, rounds: 1 }, () => {});
  return found?.perSecond ?? 0;
}
