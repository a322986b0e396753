/** Credentials without an expiry are renewed at this age, while the old ones are still used. */
const UNSTATED_LIFE_RENEWED_MS = 300_000;
/** The minimum lifetime. With a shorter one, every call would fetch. */
const SHORTEST_LIFE_MS = 1_000;
/** They expire for us this long before their expiry, or a tenth of their lifetime, because a request takes some time. */
const END_MARGIN_MS = 5_000;

/** When credentials are renewed and when they expire, by a monotonic clock, in milliseconds. */
export interface Lifetime {
  readonly renewAt: number;
  readonly endsAt: number;
}

/**
 * Returns the times of credentials, counted from the request, because the server issues them later.
 * @param lifeMs - how long they are valid, in milliseconds; null if unknown
 */
export function lifetimeOf(lifeMs: number | null, askedAt: number): Lifetime {
  if (lifeMs === null)
    return { renewAt: askedAt + UNSTATED_LIFE_RENEWED_MS, endsAt: Number.POSITIVE_INFINITY };
  const life = Math.max(SHORTEST_LIFE_MS, lifeMs);
  const early = Math.max(life / 2, Math.min(life * 0.8, life - 30_000));
  // Random, so that processes that started together do not renew together.
  const jitter = Math.random() * life * 0.1;
  return {
    renewAt: askedAt + early - jitter,
    endsAt: askedAt + life - Math.min(END_MARGIN_MS, life / 10),
  };
}
