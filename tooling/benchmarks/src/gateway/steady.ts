import { rounded } from "../percentile.ts";
import { type Estimate, medianOf, ratioOf } from "../statistics.ts";
import { type PacedResult, sendPaced } from "./load.ts";
import { type Amount, measureWork, warmUp } from "./measure.ts";
import type { Variant } from "./processes.ts";

/** Why a latency is not that at its rate. */
export type Fault = "the rate was not reached" | "too many were sent late" | "requests failed";

/** Latencies of a quote at a rate that does not depend on answers; medians of the rounds, in milliseconds. */
export interface SteadyLatency {
  /** What was due a second, and what was answered. */
  readonly duePerSecond: number;
  readonly perSecond: number;
  readonly p50: number;
  /** An upper bound, but for the 2 ms that are not late: as if all that were sent late had taken longest. */
  readonly p99: number;
  /** p99 divided by p50, round by round. */
  readonly ratio: Estimate;
  /** How many failed in all rounds. */
  readonly failed: number;
  /** The largest share of a round that was sent more than 2 ms late, between 0 and 1. */
  readonly late: number;
  /** What was wrong in some round; the figure is valid when nothing was. */
  readonly faults: readonly Fault[];
}

/** So many requests may be under way before one is sent late. */
const CONNECTIONS = 400;
const SECONDS = 10;
/**
 * How long the same load is sent before the first round without being measured: more requests are sent late in the first seconds at a
 * rate than later. In four runs in which the gateway had already answered 100,000 quotes, 5 to 17 % were sent late in the first 10 s, and
 * 0.1 to 0.3 % in each later 10 s; in a fifth, 15 % also after 11 s (2026-11-28). With 4 s before each round, and other servers measured
 * in between, up to 85 % of a round were sent late. Nothing is due in the first half second of this and of each round.
 */
const UNMEASURED_SECONDS = 30;
/** How far the rate of a round may be from what was due. */
const MOST_MISSED = 0.05;
/** Below this share of late requests in each round, the p99 has an upper bound: late ones may be all that take longer. */
const LATE_LIMIT = 0.01;

/** How the latencies at a rate are measured. */
export const steadyMethod: string = `Rounds of ${SECONDS} s over ${CONNECTIONS} connections, after ${UNMEASURED_SECONDS} s of the same load; one server after the other. Requests are due at the same times in each round.`;

/**
 * The latency of a quote at each variant, all at the same rate: what nginx and the bare proxy show is the share of the
 * load, the insurer and the machine. All rounds of one variant follow each other, with a pause in which wrk starts again, because it is
 * the latency of a server that has this rate for a while. Something else that the machine does may therefore fall on one variant alone.
 * It needs wrk: at the bare proxy and 4,600 requests a second, the p50 is 0.6 ms with wrk, and 1.7 ms with the load of the other
 * benchmarks, which is a program on Node and checks once a millisecond which requests are due.
 */
export async function steadyLatency(
  variants: readonly Variant[],
  duePerSecond: number,
  amount: Amount,
): Promise<ReadonlyMap<string, SteadyLatency>> {
  const found = new Map<string, SteadyLatency>();
  for (const variant of variants) {
    const { name, origin, token } = variant;
    await warmUp("quote", variant, amount);
    const target = { origin, token, work: "quote", connections: CONNECTIONS };
    const order = { ...target, perSecond: duePerSecond };
    const before = await sendPaced({ ...order, seconds: UNMEASURED_SECONDS });
    const rounds: PacedResult[] = [];
    while (rounds.length < amount.rounds)
      rounds.push(await sendPaced({ ...order, seconds: SECONDS }));
    found.set(name, summary(duePerSecond, rounds, before.failed));
  }
  return found;
}

/**
 * What the rounds at one rate show.
 * @param failedBefore - how many failed in the load that was not measured
 */
export function summary(
  duePerSecond: number,
  rounds: readonly PacedResult[],
  failedBefore: number,
): SteadyLatency {
  const p50 = rounds.map((round) => round.p50);
  const p99 = rounds.map((round) => round.p99);
  const rates = rounds.map(({ requests, seconds }) => requests / seconds);
  const failed = rounds.reduce((sum, round) => sum + round.failed, failedBefore);
  const late = Math.max(...rounds.map((round) => round.late / round.requests));
  const missed = Math.max(...rates.map((rate) => Math.abs(rate / duePerSecond - 1)));
  const faults: Fault[] = [];
  if (missed > MOST_MISSED) faults.push("the rate was not reached");
  if (late >= LATE_LIMIT) faults.push("too many were sent late");
  if (failed > 0) faults.push("requests failed");
  return {
    duePerSecond,
    perSecond: Math.round(medianOf(rates).median),
    p50: rounded(medianOf(p50).median),
    p99: rounded(medianOf(p99).median),
    ratio: ratioOf(p99, p50),
    failed,
    late,
    faults,
  };
}

/**
 * The highest rate of a variant, measured just before it is needed: in a whole run, 70 % of the rate of 25 minutes before was more
 * than the gateway's highest rate, because the machine had become slower (2026-11-28).
 */
export async function peakOf(variant: Variant, amount: Amount): Promise<number> {
  const [found] = await measureWork("quote", [variant], amount, () => {});
  return found?.perSecond ?? 0;
}
