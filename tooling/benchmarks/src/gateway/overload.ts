import { watchUsage } from "../process-usage.ts";
import { type Estimate, medianOf, ratioOf } from "../statistics.ts";
import { sendRegardless } from "./load.ts";
import { warmUp } from "./measure.ts";
import { startGateway } from "./processes.ts";

/** The capacity of the default bulkhead: running plus waiting calls. */
const BASELINE_CONNECTIONS = 64;
const OVERLOAD_CONNECTIONS = 3_000;
const LOAD_SECONDS = 8;

/** The successful answers of a gateway under overload: 3,000 connections each send the next request at once. */
export interface Overload {
  /** Successful answers per second over 64 connections, the most that the gateway serves without refusals. */
  readonly best: number;
  readonly overloaded: number;
  /** The good answers under overload divided by `best`, compared in each round. */
  readonly left: Estimate;
  readonly p50: number;
  readonly p99: number;
  /** The number of refusals with 429 or 503 and Retry-After. */
  readonly refused: number;
  /** The number of all other answers, and of failed connections. */
  readonly wrong: number;
  /** The highest resident memory, in MB. */
  readonly memory: number;
}

/**
 * Sends to a gateway with the default limits alternately the maximum load of the gateway and a far greater load. The
 * insurer answers at once, behind a bulkhead with a long queue. Callers ignore Retry-After.
 */
export async function measureOverload(
  insurer: string,
  rounds: number,
  progress: (text: string) => void,
): Promise<Overload> {
  const gateway = await startGateway(insurer, {
    name: "gateway",
    provider: { bulkhead: { running: 128, queued: 1_024 } },
    hasOverload: true,
  });
  try {
    const { origin, pid, token } = gateway;
    const order = { origin, token, work: "quote", seconds: LOAD_SECONDS };
    await warmUp("quote", gateway, { rounds, requests: 4_000, connections: BASELINE_CONNECTIONS });
    const usage = watchUsage(pid);
    const found = [];
    while (found.length < rounds) {
      progress(`overload: round ${found.length + 1} of ${rounds}`);
      const few = await sendRegardless({ ...order, connections: BASELINE_CONNECTIONS });
      found.push({
        few,
        many: await sendRegardless({ ...order, connections: OVERLOAD_CONNECTIONS }),
      });
    }
    const few = found.map((round) => round.few.good / round.few.seconds);
    const many = found.map((round) => round.many.good / round.many.seconds);
    const all = found.flatMap((round) => [round.few, round.many]);
    const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other);
    return {
      best: Math.round(medianOf(few).median),
      overloaded: Math.round(medianOf(many).median),
      left: ratioOf(many, few),
      p50: Math.round(medianOf(found.map((round) => round.many.p50)).median),
      p99: Math.round(medianOf(found.map((round) => round.many.p99)).median),
      refused: sum(all.map(({ refused }) => refused)),
      wrong: sum(
        all.map(({ requests, good, refused, failed }) => requests - good - refused + failed),
      ),
      memory: usage.stop().memoryPeak,
    };
  } finally {
    await gateway.stop();
  }
}
