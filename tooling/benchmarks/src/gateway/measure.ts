import { interleave } from "../interleave.ts";
import { rounded } from "../percentile.ts";
import { processorUs, watchUsage } from "../process-usage.ts";
import { type Estimate, medianOf, ratioOf } from "../statistics.ts";
import { sendLoad } from "./load.ts";
import type { Variant } from "./processes.ts";

/** The numbers of rounds, requests and connections of a measurement. */
export interface MeasurementSize {
  readonly rounds: number;
  readonly requests: number;
  readonly connections: number;
}

/** The cost of one variant for one work. */
export interface MeasuredCost {
  readonly variant: string;
  /** The processor time of one request over all threads of the process, in microseconds. */
  readonly processorUs: Estimate;
  /** The processor time of the first variant divided by the processor time of this variant, compared in each round. */
  readonly ratio: Estimate;
  readonly perSecond: number;
  /** Latency in milliseconds; the median of the rounds. */
  readonly p50: number;
  readonly p99: number;
  /** The highest resident memory, in MB. */
  readonly memory: number;
}

interface Round {
  readonly requests: number;
  readonly processorUs: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly memory: number;
}

/**
 * Warm-up of each variant per work. V8 compiles the code of a quote during the first 100,000 requests: at first a quote
 * takes 360 µs, after 40,000 requests 87 µs, after 110,000 requests 75 µs. The warm-up ends after `longestSeconds` at
 * the latest.
 */
const WARM_UP = { requests: 100_000, longestSeconds: 30, stepSeconds: 5 } as const;

/**
 * Measures one work with every variant in turn; ratios refer to the first variant. All variants are warmed up twice,
 * the second time briefly, because an idle server releases memory and drops compiled code: after 100 s without
 * requests, a quote took the bare proxy 280 µs instead of 101, and 135 after four more seconds (2026-11-27).
 */
export async function measureWork(
  work: string,
  variants: readonly Variant[],
  amount: MeasurementSize,
  progress: (text: string) => void,
): Promise<readonly MeasuredCost[]> {
  const perSecond = new Map<Variant, number>();
  for (const variant of variants) perSecond.set(variant, await warmUp(work, variant, amount));
  for (const variant of variants) {
    const rate = perSecond.get(variant) ?? amount.requests;
    const requests = rate * WARM_UP.stepSeconds;
    const again = { ...amount, requests, perSecond: rate };
    perSecond.set(variant, (await measureRound(work, variant, again)).perSecond);
  }
  const found = await interleave(variants, amount.rounds, async (variant, number) => {
    const rate = perSecond.get(variant) ?? amount.requests;
    const round = await measureRound(work, variant, { ...amount, perSecond: rate });
    const place = `${work}: round ${number + 1} of ${amount.rounds}, ${variant.name}`;
    progress(`${place}: ${Math.round(round.processorUs)} µs`);
    return round;
  });
  const [reference = []] = found.values();
  const costs = (rounds: readonly Round[]): readonly number[] =>
    rounds.map((round) => round.processorUs);
  return [...found].map(([{ name }, rounds]) => ({
    variant: name,
    processorUs: medianOf(costs(rounds)),
    ratio: ratioOf(costs(reference), costs(rounds)),
    perSecond: Math.round(medianOfRounds(rounds, (round) => round.perSecond)),
    p50: medianOfRounds(rounds, (round) => round.p50),
    p99: medianOfRounds(rounds, (round) => round.p99),
    memory: Math.max(...rounds.map(({ memory }) => memory)),
  }));
}

/** Sends requests of a work until V8 has compiled its code. Returns the requests per second at the end. */
export async function warmUp(
  work: string,
  variant: Variant,
  amount: MeasurementSize,
): Promise<number> {
  const wanted = WARM_UP.requests;
  const end = performance.now() + WARM_UP.longestSeconds * 1_000;
  // The current rate determines the length of the next step.
  let perSecond = amount.requests;
  let step = perSecond;
  for (let sent = 0; sent < wanted && performance.now() < end; ) {
    const round = await measureRound(work, variant, { ...amount, requests: step, perSecond });
    ({ perSecond } = round);
    sent += round.requests;
    step = Math.min(wanted - sent, perSecond * WARM_UP.stepSeconds);
  }
  return perSecond;
}

function medianOfRounds(rounds: readonly Round[], value: (round: Round) => number): number {
  return rounded(medianOf(rounds.map(value)).median);
}

interface RoundAmount {
  readonly requests: number;
  readonly connections: number;
  readonly perSecond: number;
}

async function measureRound(work: string, variant: Variant, amount: RoundAmount): Promise<Round> {
  const { origin, pid, token } = variant;
  const { connections, perSecond, requests } = amount;
  const usage = watchUsage(pid);
  const before = processorUs(pid);
  const sent = await sendLoad({ origin, token, work, requests, connections, perSecond });
  const used = processorUs(pid) - before;
  return {
    requests: sent.requests,
    processorUs: used / sent.requests,
    perSecond: sent.requests / sent.seconds,
    p50: rounded(sent.p50),
    p99: rounded(sent.p99),
    memory: usage.stop().memoryPeak,
  };
}
