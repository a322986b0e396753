import { watchUsage } from "../process-usage.ts";
import { type Estimate, medianOf, ratioOf } from "../statistics.ts";
import { sendAnyway } from "./load.ts";
import { warmUp } from "./measure.ts";
import { startGateway } from "./processes.ts";

/** As many connections as the default bulkhead takes, running and waiting. */
const FEW_CONNECTIONS = 64;
const MANY_CONNECTIONS = 3_000;
const SECONDS = 8;

/** The good answers while 3,000 connections always have a request. */
export interface Overload {
  /** Good answers a second over 64 connections. */
  readonly best: number;
  readonly overloaded: number;
  /** The second divided by the first, round by round. */
  readonly left: Estimate;
  readonly p50: number;
  readonly p99: number;
  /** Refusals with 429 or 503 and Retry-After. */
  readonly refused: number;
  /** All other answers, and connections that failed. */
  readonly wrong: number;
  /** Resident memory at most, in MB. */
  readonly memory: number;
}

/**
 * Gives a gateway with the default protections as much as it can take, and then far too much, in turn. The insurer answers at
 * once, behind a bulkhead in which many may wait. Callers ignore Retry-After.
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
    const order = { origin, token, work: "quote", seconds: SECONDS };
    await warmUp("quote", gateway, { rounds, requests: 4_000, connections: FEW_CONNECTIONS });
    const usage = watchUsage(pid);
    const found = [];
    while (found.length < rounds) {
      progress(`overload: round ${found.length + 1} of ${rounds}`);
      const few = await sendAnyway({ ...order, connections: FEW_CONNECTIONS });
      found.push({ few, many: await sendAnyway({ ...order, connections: MANY_CONNECTIONS }) });
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
