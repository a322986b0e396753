import { Refusal } from "@insurance-gateway/core/runtime";
import type { LimitHeaders } from "../../callers/caller-limits.ts";
import type { QuotasConfiguration } from "../../configuration/file.ts";
import type { QuotaName } from "../../events.ts";
import type { UsageCounter, UsagePlace } from "./counter.ts";
import type { Days } from "./days.ts";

/** The used part of an account's quota on a day. */
export interface QuotaUse {
  readonly name: QuotaName;
  readonly quota: number;
  readonly used: number;
}

/** The quotas of accounts. */
export type Quotas = ReturnType<typeof createQuotas>;

/** A call that was counted. */
export interface AdmittedCall {
  readonly headers: LimitHeaders;
  /** Counts the call as answered with a problem. */
  readonly failed: () => void;
}

/** Arguments of `createQuotas`. */
export interface QuotasParts {
  readonly counter: UsageCounter;
  readonly days: Days;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  readonly quotasOf: (account: Pick<UsagePlace, "account" | "segment">) => QuotasConfiguration;
  /** Called for every call that a quota refuses. */
  readonly refused: (place: Pick<UsagePlace, "account" | "segment">, name: QuotaName) => void;
}

/** Number of equal parts of a quota. After each part, a process reads the other processes' counts from the store. */
const PORTIONS_PER_QUOTA = 100;
const DAY_SECONDS = 86_400;

/**
 * Creates the quotas. A process accepts at most a hundredth of the quota of requests before it reads the other
 * processes' counts, so each process exceeds the quota by at most a hundredth. The store counts submissions exactly.
 */
export function createQuotas({ counter, days, now, quotasOf, refused }: QuotasParts) {
  const headersOf = ({ name, quota, used }: QuotaUse): LimitHeaders => ({
    "ratelimit-policy": `"${name}-per-day";q=${quota};w=${DAY_SECONDS}`,
    ratelimit: `"${name}-per-day";r=${Math.max(0, quota - used)};t=${secondsUntilReset()}`,
  });
  const secondsUntilReset = (): number => Math.ceil((days.endOf(now()) - now()) / 1_000);
  const refusal = (use: QuotaUse): Refusal => {
    const { name, quota, used } = use;
    const resetsAt = new Date(days.endOf(now())).toISOString();
    return new Refusal("RATE_LIMITED", {
      detail: `Your account's quota of ${name} for ${days.dayOf(now())} is used up: ${used} of ${quota}. It resets at ${resetsAt}; nothing was sent to an insurer.`,
      reason: `${name}_quota`,
      headers: { ...headersOf(use), "retry-after": String(secondsUntilReset()) },
    });
  };

  const unlimited = (place: UsagePlace): AdmittedCall => ({
    headers: {},
    failed: counter.called(place),
  });
  const within = async (place: UsagePlace, quota: number): Promise<AdmittedCall> => {
    const portion = Math.max(1, Math.floor(quota / PORTIONS_PER_QUOTA));
    for (;;) {
      const known = counter.known(place);
      if (known !== null && known.used >= quota) {
        refused(place, "requests");
        throw refusal({ name: "requests", quota, used: known.used });
      }
      // Several calls may wait for one refresh, and the earlier calls may use up the portion. So the check and the
      // count run in one turn of the event loop.
      if (known !== null && known.since < portion) {
        const failed = counter.called(place);
        return { headers: headersOf({ name: "requests", quota, used: known.used + 1 }), failed };
      }
      if (!(await counter.refresh(place))) return unlimited(place);
    }
  };

  return {
    /**
     * Counts an account's call, and returns the headers for the answer to the call. While the store is unavailable, no
     * call is refused.
     * @throws Refusal if the account's quota of requests is used up
     */
    async admit(place: UsagePlace): Promise<AdmittedCall> {
      const quota = quotasOf(place).requestsPerDay;
      return quota === undefined ? unlimited(place) : within(place, quota);
    },
    /** Returns the maximum of an account's submissions in a day; null for no limit. */
    submissionsPerDay: (account: Pick<UsagePlace, "account" | "segment">): number | null =>
      quotasOf(account).submissionsPerDay ?? null,
    /** Returns the refusal of a submission whose account has used up its quota. */
    submissionRefused(
      place: Pick<UsagePlace, "account" | "segment">,
      use: Omit<QuotaUse, "name">,
    ): Refusal {
      refused(place, "submissions");
      return refusal({ ...use, name: "submissions" });
    },
  };
}
