import { percentile } from "../percentile.ts";
import type { Sample } from "./load.ts";
import { type Ending, isGood } from "./plan.ts";

/** Those that were due within a time, both ends in milliseconds since 1970. */
export function dueWithin(samples: readonly Sample[], from: number, to: number): readonly Sample[] {
  return samples.filter(({ dueAt }) => dueAt >= from && dueAt < to);
}

/** Those that got what they asked for. */
export function goodOf(samples: readonly Sample[]): readonly Sample[] {
  return samples.filter(({ ending }) => isGood(ending));
}

/** A percentile of how long samples took, in milliseconds. */
export function tookAt(samples: readonly Sample[], part: number): number {
  return percentile(
    samples.map(({ tookMs }) => tookMs),
    part,
  );
}

/** A percentile of how much later than due samples were sent, in milliseconds: what the machine makes of the load. */
export function lateAt(samples: readonly Sample[], part: number): number {
  return percentile(
    samples.map(({ lateMs }) => lateMs),
    part,
  );
}

/** Says how samples ended and how often, the most frequent first; "none" of none. */
export function endingsIn(samples: readonly Sample[]): string {
  const counts = new Map<string, number>();
  for (const { ending } of samples) {
    const name = nameOf(ending);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts.size === 0
    ? "none"
    : [...counts]
        .toSorted(([, one], [, other]) => other - one)
        .map(([name, count]) => `${count.toLocaleString("en")} × ${name}`)
        .join(", ");
}

function nameOf({ code, proxyError, retryAfter, stale, status }: Ending): string {
  if (status === null) return `no answer (${code})`;
  return [
    status,
    code,
    proxyError,
    stale ? "an old answer" : null,
    (status === 429 || status === 503) && !retryAfter ? "no Retry-After" : null,
  ]
    .filter((part) => part !== null)
    .join(" ");
}
