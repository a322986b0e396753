import { type Amount, type Costs, measureWork } from "./measure.ts";
import { startGateway, type Variant } from "./processes.ts";

export const ONE_PROCESS = "gateway, PostgreSQL, one process";
export const TWO_PROCESSES = "gateway, PostgreSQL, two processes";

/** Returns how much is measured at least, because the bar is under 10 % (issue 15). */
export function judgingAmount(amount: Amount): Amount {
  const { requests, rounds } = amount;
  return { ...amount, rounds: Math.max(rounds, 15), requests: Math.max(requests, 20_000) };
}

/**
 * What a quote costs with `serve --processes 2`, the supervisor included, and with one process: both on PostgreSQL, each
 * with a database of its own. They use both cores, as do the load and the insurer: two processes on one core would take it
 * from each other in the middle of a request. Memory is left out: only that of the supervisor would be counted.
 */
export async function twoProcesses(
  insurer: string,
  database: () => Promise<string>,
  amount: Amount,
  progress: (text: string) => void,
): Promise<readonly Costs[]> {
  const variants: Variant[] = [];
  try {
    // The ratio of the second is the processor time of the first divided by its own: two processes over one.
    for (const [name, processes] of [
      [TWO_PROCESSES, 2],
      [ONE_PROCESS, 1],
    ] as const) {
      const settings = { name, processes, databaseUrl: await database(), core: null };
      variants.push(await startGateway(insurer, settings));
    }
    const found = await measureWork("quote", variants, amount, progress, 2);
    return found.map(({ p50, p99, perSecond, processorUs, ratio, variant }) => ({
      variant,
      processorUs,
      ratio,
      perSecond,
      p50,
      p99,
    }));
  } finally {
    for (const variant of variants) await variant.stop();
  }
}
