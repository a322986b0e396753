import { interleave } from "../interleave.ts";
import { rounded } from "../percentile.ts";
import { processorUs, watchUsage } from "../process-usage.ts";
import { type Estimate, medianOf, ratioOf } from "../statistics.ts";
import { send } from "./load.ts";
import type { Variant } from "./processes.ts";

/** How much is measured. */
export interface Amount {
  readonly rounds: number;
  readonly requests: number;
  readonly connections: number;
}

/** The cost of one variant for one work. */
export interface Measured {
  readonly variant: string;
  /** The time of one request in microseconds, of all threads of the process. */
  readonly processorUs: Estimate;
  /** The reference's processor time divided by this variant's, round by round. */
  readonly ratio: Estimate;
  readonly perSecond: number;
  /** In milliseconds; medians of the rounds. */
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
 * How many requests of each work warm each variant up. V8 compiles what a quote runs during the first 100,000 of them: at first
 * one takes 360 µs, after 40,000 of them 87 µs, after 110,000 of them 75 µs. After the longest time there are no more.
 */
const WARM_UP = { requests: 100_000, longestSeconds: 30, stepSeconds: 5 } as const;

/**
 * Measures one work with every variant, in turn; ratios refer to the first. All variants are warmed up twice,
 * the second time briefly: a server that is idle meanwhile gives back memory, and drops compiled code. After 100 s without
 * requests, the bare proxy took 280 µs instead of 101 for a quote, and 135 after four more seconds (2026-11-27).
 */
export async function measureWork(
  work: string,
  variants: readonly Variant[],
  amount: Amount,
  progress: (text: string) => void,
): Promise<readonly Measured[]> {
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
    perSecond: Math.round(middle(rounds, (round) => round.perSecond)),
    p50: middle(rounds, (round) => round.p50),
    p99: middle(rounds, (round) => round.p99),
    memory: Math.max(...rounds.map(({ memory }) => memory)),
  }));
}

/** Sends a work until V8 has compiled what it runs. Returns how many requests a second there were at the end. */
export async function warmUp(work: string, variant: Variant, amount: Amount): Promise<number> {
  const wanted = WARM_UP.requests;
  const end = performance.now() + WARM_UP.longestSeconds * 1_000;
  // How many a second there are decides how long the next step is.
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

function middle(rounds: readonly Round[], value: (round: Round) => number): number {
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
  const sent = await send({ origin, token, work, requests, connections, perSecond });
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
