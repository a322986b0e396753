/** Age in milliseconds at which credentials without an expiry are renewed, while the old credentials are still used. */
const RENEWAL_AGE_WITHOUT_EXPIRY_MS = 300_000;
/** Shortest lifetime in milliseconds. With a shorter lifetime, every call would fetch credentials. */
const MIN_LIFETIME_MS = 1_000;
/**
 * Longest time before the expiry in which credentials are not used, in milliseconds, because a request takes some time.
 * Credentials with a short lifetime are not used in the last tenth of this lifetime.
 */
const EXPIRY_MARGIN_MS = 5_000;

/** Times at which credentials are renewed and expire, by a monotonic clock, in milliseconds. */
export interface RenewalTimes {
  readonly renewAt: number;
  readonly endsAt: number;
}

/**
 * Returns the times of renewal and expiry. Both times count from the request for the credentials, because the server
 * issues the credentials a little later.
 * @param lifeMs - lifetime in milliseconds; null if unknown
 * @param askedAt - time of the request
 */
export function renewalTimesOf(lifeMs: number | null, askedAt: number): RenewalTimes {
  if (lifeMs === null)
    return { renewAt: askedAt + RENEWAL_AGE_WITHOUT_EXPIRY_MS, endsAt: Number.POSITIVE_INFINITY };
  const life = Math.max(MIN_LIFETIME_MS, lifeMs);
  const early = Math.max(life / 2, Math.min(life * 0.8, life - 30_000));
  // Random, so that processes that started together do not renew their credentials together.
  const jitter = Math.random() * life * 0.1;
  return {
    renewAt: askedAt + early - jitter,
    endsAt: askedAt + life - Math.min(EXPIRY_MARGIN_MS, life / 10),
  };
}
