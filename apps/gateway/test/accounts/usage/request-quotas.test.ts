import { beforeEach, describe, expect, it } from "vitest";
import {
  type Counter,
  createCounter,
  type KnownCalls,
  type UsagePlace,
} from "../../../src/accounts/usage/counter.ts";
import { createDays } from "../../../src/accounts/usage/days.ts";
import {
  type AdmittedCall,
  createQuotas,
  type Quotas,
} from "../../../src/accounts/usage/quotas.ts";
import type { QuotasConfiguration } from "../../../src/configuration/file.ts";
import { Refusal } from "../../../src/problems/refusal.ts";

const NOON = Date.parse("2026-11-22T10:00:00Z");
const place: UsagePlace = {
  account: "broker-7",
  segment: "motor",
  endpoint: "quote",
  kind: "quote",
};

let now: number;
let quotas: Quotas;
let configured: QuotasConfiguration;
/** What is known at each look at the counter, the last of which stays. */
let known: (KnownCalls | null)[];
let isRefreshed: boolean;
/** What the counter and the refusals were called for. */
let calls: unknown[];

beforeEach(() => {
  now = NOON;
  configured = {};
  known = [];
  isRefreshed = true;
  calls = [];
  const days = createDays("Europe/Athens");
  const counter: Counter = {
    ...createCounter(days, () => now),
    called(at) {
      calls.push(["called", at]);
      return () => calls.push(["failed", at]);
    },
    known: () => (known.length > 1 ? known.shift() : known[0]) ?? null,
    async refresh(at) {
      calls.push(["refresh", at]);
      return isRefreshed;
    },
  };
  quotas = createQuotas({
    counter,
    days,
    now: () => now,
    quotasOf: () => configured,
    refused: (at, name) => calls.push(["refused", at, name]),
  });
});

/** The headers of a call that is admitted, or the refusal. */
async function headersOfCall(): Promise<unknown> {
  try {
    return (await quotas.admit(place)).headers;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.code, ...error.details };
  }
}

describe("a call without a quota of requests", () => {
  it("is counted at once, with what counts it as failed", () => {
    // It is no promise, which would be waited for.
    const { failed, headers } = quotas.admit(place) as AdmittedCall;
    failed();
    expect([headers, calls]).toEqual([
      {},
      [
        ["called", place],
        ["failed", place],
      ],
    ]);
  });
});

describe("a call with a quota of requests", () => {
  it("is counted, and its answer says what is left of the day", async () => {
    configured = { requestsPerDay: 250 };
    known = [{ used: 248, since: 1 }];
    expect(await headersOfCall()).toEqual({
      "ratelimit-policy": '"requests-per-day";q=250;w=86400',
      ratelimit: '"requests-per-day";r=1;t=43200',
    });
    expect(calls).toEqual([["called", place]]);
  });

  it.each([
    ["at first", null],
    ["after two, which are a hundredth of 250", { used: 10, since: 2 }],
  ])("asks the store what others have used, %s", async (_, first) => {
    configured = { requestsPerDay: 250 };
    known = [first, { used: 10, since: 0 }];
    expect(await headersOfCall()).toMatchObject({
      ratelimit: '"requests-per-day";r=239;t=43200',
    });
    expect(calls).toEqual([
      ["refresh", place],
      ["called", place],
    ]);
  });

  it("asks before each call where a hundredth is less than one", async () => {
    configured = { requestsPerDay: 99 };
    known = [
      { used: 1, since: 1 },
      { used: 1, since: 0 },
    ];
    expect(await headersOfCall()).toMatchObject({ ratelimit: '"requests-per-day";r=97;t=43200' });
    expect(calls).toEqual([
      ["refresh", place],
      ["called", place],
    ]);
  });

  it("is counted and not limited while the store does not answer", async () => {
    configured = { requestsPerDay: 1 };
    isRefreshed = false;
    expect(await headersOfCall()).toEqual({});
    expect(calls).toEqual([
      ["refresh", place],
      ["called", place],
    ]);
  });

  it.each([250, 260])("is refused when %i of 250 are used", async (used) => {
    configured = { requestsPerDay: 250 };
    known = [{ used, since: 0 }];
    now = Date.parse("2026-11-22T21:59:58.500Z");
    expect(await headersOfCall()).toEqual({
      code: "RATE_LIMITED",
      detail: `Your account's quota of requests for 2026-11-22 is used up: ${used} of 250. It resets at 2026-11-22T22:00:00.000Z; nothing was sent to an insurer.`,
      reason: "requests_quota",
      headers: {
        "ratelimit-policy": '"requests-per-day";q=250;w=86400',
        ratelimit: '"requests-per-day";r=0;t=2',
        "retry-after": "2",
      },
    });
    expect(calls).toEqual([["refused", place, "requests"]]);
  });
});

describe("a quota of submissions", () => {
  it("is the configured one, or none", () => {
    expect(quotas.submissionsPerDay(place)).toBeNull();
    configured = { submissionsPerDay: 5 };
    expect(quotas.submissionsPerDay(place)).toBe(5);
  });

  it("that is used up refuses one more, and says when it resets", () => {
    const refusal = quotas.submissionRefused(place, { quota: 5, used: 5 });
    expect({ code: refusal.code, ...refusal.details }).toEqual({
      code: "RATE_LIMITED",
      detail:
        "Your account's quota of submissions for 2026-11-22 is used up: 5 of 5. It resets at 2026-11-22T22:00:00.000Z; nothing was sent to an insurer.",
      reason: "submissions_quota",
      headers: {
        "ratelimit-policy": '"submissions-per-day";q=5;w=86400',
        ratelimit: '"submissions-per-day";r=0;t=43200',
        "retry-after": "43200",
      },
    });
    expect(calls).toEqual([["refused", place, "submissions"]]);
  });
});
