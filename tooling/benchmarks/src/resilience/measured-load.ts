import { setTimeout as wait } from "node:timers/promises";
import { clock } from "../clock.ts";
import { type Sample, startLoad } from "../load/load.ts";
import type { LoadCall } from "../load/plan.ts";
import { dueWithin, goodOf } from "../load/samples.ts";
import { type Usage, watchUsage } from "../process-usage.ts";
import type { GatewayUnderTest } from "./gateway-under-test.ts";
import { showSeconds } from "./show-seconds.ts";

/** A load on a gateway. */
export interface MeasuredPlan {
  readonly calls: readonly LoadCall[];
  readonly perSecond: number;
  readonly connections: number;
  /** How long it goes on before anything counts, in seconds. */
  readonly settleSeconds: number;
  readonly seconds: number;
}

/** What a load came to, while it counted. */
export interface MeasuredLoad {
  /** Good answers a second. */
  readonly goodput: number;
  /** Calls that were sent, a second. */
  readonly offered: number;
  /** Calls that were due and for which no connection was free, a second. */
  readonly notSent: number;
  readonly samples: readonly Sample[];
  readonly gateway: Usage;
  readonly generator: Usage;
}

/** How long a caller waits for an answer to begin. */
export const CALLER_WAITS_MS = 10_000;

/** Sends a load for a while and measures what becomes of it. */
export async function measureLoad(
  { origin, pid }: GatewayUnderTest,
  { calls, connections, perSecond, seconds, settleSeconds }: MeasuredPlan,
  progress: (text: string) => void,
): Promise<MeasuredLoad> {
  const load = await startLoad(
    { origin, calls, perSecond, connections, timeoutMs: CALLER_WAITS_MS },
    showSeconds(progress),
  );
  const watches = { gateway: watchUsage(pid), generator: watchUsage(load.pid) };
  await wait(settleSeconds * 1_000);
  const from = clock();
  await wait(seconds * 1_000);
  const to = clock();
  const usage = { gateway: watches.gateway.stop(), generator: watches.generator.stop() };
  const { notSentAt, sent } = await load.end();
  const lasted = (to - from) / 1_000;
  const samples = dueWithin(sent, from, to);
  const ended = sent.filter(({ dueAt, tookMs }) => dueAt + tookMs >= from && dueAt + tookMs < to);
  return {
    goodput: goodOf(ended).length / lasted,
    offered: samples.length / lasted,
    notSent: notSentAt.filter((at) => at >= from && at < to).length / lasted,
    samples,
    ...usage,
  };
}
