import { Readable } from "node:stream";
import {
  type Credentials,
  CredentialsError,
  type CredentialsFault,
  type CredentialsWait,
  type PresentedCredentials,
} from "@insurance-gateway/core/auth";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { type ExchangeEnd, TransportError } from "@insurance-gateway/core/transport";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { AttemptResult, Observation } from "../../src/observation/observation.ts";
import { Refusal, type RefusalDetails } from "../../src/problems/refusal.ts";
import type { Admission, Breaker } from "../../src/resilience/breaker.ts";
import { createBulkhead } from "../../src/resilience/bulkhead.ts";
import type { UpstreamAnswer } from "../../src/upstream/answer.ts";
import type { AttemptWay, UpstreamCall } from "../../src/upstream/attempt.ts";
import { createGuardedAttempt, isHeldBack } from "../../src/upstream/guarded-attempt.ts";

const answer: UpstreamAnswer = { status: 200, headers: {}, content: "{}" };

function callOf(more: Partial<UpstreamCall> = {}): UpstreamCall {
  return {
    connection: "default",
    requestId: "request",
    traceHeaders: {},
    scenario: undefined,
    waited: () => undefined,
    input: { params: {}, query: {}, headers: {}, body: {} },
    callerGone: null,
    submissionId: null,
    ...more,
  };
}

/** Credentials that the test gives and takes away. */
function startCredentials() {
  const waits: CredentialsWait[] = [];
  let pending = Promise.withResolvers<void>();
  let current: PresentedCredentials | null = null;
  const credentials: Credentials = {
    current: () => current,
    ready(wait) {
      waits.push(wait);
      return pending.promise;
    },
    waiting: () => 0,
    ageMs: () => null,
  };
  return {
    credentials,
    waits,
    give(refused: () => boolean = () => false) {
      current = { headers: { authorization: "Bearer a" }, login: null, refused };
      pending.resolve();
      pending = Promise.withResolvers();
    },
    takeAway: () => {
      current = null;
    },
    fail: (error: unknown) => pending.reject(error),
  };
}

/** A guarded attempt whose insurer, breaker and credentials do what the test says. */
function startGuarded() {
  const held: string[] = [];
  const ended: AttemptResult[] = [];
  const settled: AttemptResult[] = [];
  const mismatched: string[] = [];
  const asked: (boolean | "probe")[] = [];
  const shown = startCredentials();
  shown.give();
  const bulkhead = createBulkhead(() => ({ running: 1, queued: 2, queueMs: 60_000 }));
  const durations: number[] = [];
  let refusedAnswers = 0;
  const observation: Pick<
    Observation,
    "answerMismatched" | "answerRefused" | "attemptEnded" | "heldBack"
  > = {
    heldBack: (_, by) => void held.push(by),
    attemptEnded({ durationMs, result }) {
      ended.push(result);
      durations.push(durationMs);
    },
    answerRefused: () => {
      refusedAnswers += 1;
    },
    answerMismatched: (_, field) => void mismatched.push(field),
  };
  const world = {
    closedForMs: 0,
    refusedForMs: 0,
    maintainedMs: 0,
    make: async (_way: AttemptWay): Promise<UpstreamAnswer> => answer,
  };
  const admit = (kind: boolean | "probe"): Admission => {
    asked.push(kind);
    return world.refusedForMs > 0
      ? { admitted: false, retryInMs: world.refusedForMs }
      : { admitted: true, settle: (result) => void settled.push(result) };
  };
  const breaker: Breaker = {
    state: () => "closed",
    closedForMs(actsAtInsurer) {
      asked.push(actsAtInsurer);
      return world.closedForMs;
    },
    admit,
    admitProbe: () => admit("probe"),
  };
  const attempt = createGuardedAttempt({
    attempts: {
      make: (_, __, way) => world.make(way),
    },
    breaker,
    bulkhead,
    credentials: shown.credentials,
    settings: {},
    maintainedMs: () => world.maintainedMs,
    // An attempt calls these methods only.
    observation: observation as Observation,
    observed: ({ kind }) => ({ segment: "provider-d", endpoint: "any", kind }),
    timeouts: { connectMs: 1_000, totalMs: 3_000, submissionMs: 6_000 },
  });
  return {
    asked,
    bulkhead,
    durations,
    ended,
    refusedAnswers: () => refusedAnswers,
    held,
    mismatched,
    settled,
    shown,
    world,
    go: (endpoint: Endpoint = searchApplications, call = callOf(), leftMs = () => 10_000) =>
      attempt(endpoint, call, leftMs),
  };
}

async function refusalOf(ended: Promise<unknown>): Promise<Refusal> {
  const error = await ended.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw new TypeError(`It ended with ${String(error)}`);
  return error;
}

describe("an insurer that is left alone", () => {
  it.each([
    [1, "1"],
    [1_000, "1"],
    [1_001, "2"],
    [29_999, "30"],
  ])("for %i ms is not called, and Retry-After is %s", async (closedForMs, retryAfter) => {
    const expected = {
      code: "PROVIDER_UNAVAILABLE",
      details: {
        reason: "breaker",
        headers: {
          "retry-after": retryAfter,
          "proxy-status": "insurance-gateway; error=destination_unavailable",
        },
      },
    };
    for (const place of ["closedForMs", "refusedForMs"] as const) {
      const guarded = startGuarded();
      guarded.world[place] = closedForMs;
      expect(await refusalOf(guarded.go())).toMatchObject(expected);
      expect([guarded.held, guarded.ended, guarded.bulkhead.running()]).toEqual([
        ["breaker"],
        [],
        0,
      ]);
    }
  });

  it("is asked for by what the call does there, and not at all for a probe", async () => {
    const guarded = startGuarded();
    await guarded.go(searchApplications);
    await guarded.go(createApplication);
    expect(guarded.asked).toEqual([false, false, true, true]);
    guarded.world.closedForMs = 60_000;
    await guarded.go(searchApplications, callOf({ once: { probe: true } }));
    expect(guarded.asked.slice(4)).toEqual(["probe"]);
    await refusalOf(guarded.go(searchApplications, callOf({ once: { probe: false } })));
  });
});

it.each([
  [1, "1"],
  [60_001, "61"],
])(
  "in the insurer's maintenance of %i ms submissions wait, and only they",
  async (maintainedMs, retryAfter) => {
    const guarded = startGuarded();
    guarded.world.maintainedMs = maintainedMs;
    expect(await refusalOf(guarded.go(createApplication))).toMatchObject({
      code: "PROVIDER_UNAVAILABLE",
      details: { reason: "maintenance", headers: { "retry-after": retryAfter } },
    });
    expect([guarded.held, guarded.ended]).toEqual([["maintenance"], []]);
    expect(await guarded.go(searchApplications)).toBe(answer);
  },
);

it.each([
  ["breaker", true],
  ["maintenance", true],
  ["bulkhead", true],
  ["foreign_answer", false],
  ["toString", false],
  [undefined, false],
])("a call that was refused for the reason %s was held back: %s", (reason, expected) => {
  const details = { detail: "", ...(reason === undefined ? {} : { reason }) };
  expect(isHeldBack(new Refusal("PROVIDER_UNAVAILABLE", details))).toBe(expected);
});

describe("a call without a place", () => {
  it.each([
    ["is counted", false],
    ["is not counted after it has waited for credentials, with many others", true],
  ])("waits for one as long as its time allows, and %s", async (_, hasWaited) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const guarded = startGuarded();
    const leave = await guarded.bulkhead.enter("other", 0);
    if (hasWaited) guarded.shown.takeAway();
    const call = guarded.go();
    guarded.shown.give();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(guarded.bulkhead.queued()).toBe(hasWaited ? 0 : 1);
    leave?.();
    expect(await call).toBe(answer);
  });

  it("is not sent when none comes free in its time, or its time is over", async () => {
    const guarded = startGuarded();
    const leave = await guarded.bulkhead.enter("default", 0);
    const refusal = await refusalOf(guarded.go(searchApplications, callOf(), () => 1));
    expect(refusal).toMatchObject({
      code: "PROVIDER_UNAVAILABLE",
      details: {
        reason: "bulkhead",
        headers: {
          "retry-after": "1",
          "proxy-status": "insurance-gateway; error=connection_limit_reached",
        },
      },
    });
    leave?.();
    await refusalOf(guarded.go(searchApplications, callOf(), () => 0));
    expect([guarded.held, guarded.bulkhead.running()]).toEqual([["bulkhead", "bulkhead"], 0]);
    const within: number[] = [];
    guarded.world.make = async ({ withinMs }) => {
      within.push(withinMs);
      return answer;
    };
    await guarded.go(searchApplications, callOf(), () => 3);
    expect(within, "the time that is left when it begins").toEqual([3]);
  });

  it("whose credentials end while it waits leaves its place, waits for others and is sent with them", async () => {
    const guarded = startGuarded();
    const leave = await guarded.bulkhead.enter("default", 0);
    const call = guarded.go();
    guarded.shown.takeAway();
    leave?.();
    await vi.waitFor(() => expect(guarded.shown.waits).toHaveLength(1));
    expect(guarded.bulkhead.running(), "the place is another's").toBe(0);
    const other = await guarded.bulkhead.enter("default", 0);
    other?.();
    let running = 0;
    guarded.world.make = async ({ credentials }) => {
      running = guarded.bulkhead.running();
      return { ...answer, headers: credentials.headers };
    };
    guarded.shown.give();
    expect((await call).headers).toEqual({ authorization: "Bearer a" });
    expect([running, guarded.bulkhead.running()]).toEqual([1, 0]);
  });
});

describe("a call that waits for credentials", () => {
  it("waits as long as its time and its caller allow, without a place", async () => {
    const guarded = startGuarded();
    guarded.shown.takeAway();
    const { signal } = new AbortController();
    const call = guarded.go(searchApplications, callOf({ callerGone: signal }), () => 1_234);
    expect(guarded.shown.waits).toEqual([{ timeoutMs: 1_234, signal }]);
    expect([guarded.bulkhead.running(), guarded.bulkhead.queued()]).toEqual([0, 0]);
    guarded.shown.give();
    expect(await call).toBe(answer);
  });

  const faults: Readonly<Record<CredentialsFault, string>> = {
    refused: "PROVIDER_AUTH_FAILED",
    unreachable: "PROVIDER_UNREACHABLE",
    unusable: "PROVIDER_UNREACHABLE",
    crowded: "PROVIDER_UNREACHABLE",
    cancelled: "PROVIDER_UNREACHABLE",
  };
  it.each(Object.entries(faults))("in vain (%s) is not sent: %s", async (fault, code) => {
    const guarded = startGuarded();
    guarded.shown.takeAway();
    const call = guarded.go();
    // The keys of a record of every fault.
    guarded.shown.fail(new CredentialsError(fault as CredentialsFault));
    const refusal = await refusalOf(call);
    expect(refusal).toMatchObject({ code, details: { reason: `credentials_${fault}` } });
    expect(refusal.facts).toMatchObject({ outcome: "not_sent", retry: "safe" });
    expect(refusal.details.detail).toMatch(/not sent\.$/);
    expect([guarded.ended, guarded.bulkhead.running()]).toEqual([[], 0]);
  });

  it("fails with the gateway's own fault as it is", async () => {
    const guarded = startGuarded();
    guarded.shown.takeAway();
    const call = guarded.go();
    guarded.shown.fail(new TypeError("A fault"));
    await expect(call).rejects.toThrow(new TypeError("A fault"));
  });
});

describe("what an attempt came to", () => {
  afterEach(() => void vi.restoreAllMocks());

  const fails = (details: Partial<RefusalDetails> | null): (() => Promise<never>) => {
    return () =>
      Promise.reject(
        details === null
          ? new TypeError("A fault")
          : new Refusal("PROVIDER_UNREACHABLE", { detail: "", ...details }),
      );
  };
  it.each([
    ["an answer", null, "answered"],
    ["a failure", fails({ attempt: "failed" }), "failed"],
    ["an answer that cannot be used", fails({ attempt: "unusable" }), "unusable"],
    ["a documented refusal", fails({ attempt: "answered" }), "answered"],
    ["a refusal before the insurer", fails({}), "cancelled"],
    ["the gateway's own fault", fails(null), "cancelled"],
  ] as const)(
    "%s is told to the breaker and the operator, and leaves the place",
    async (_, make, result) => {
      const guarded = startGuarded();
      if (make !== null) guarded.world.make = make;
      await guarded.go().catch(() => undefined);
      expect([guarded.settled, guarded.ended, guarded.bulkhead.running()]).toEqual([
        [result],
        [result],
        0,
      ]);
    },
  );

  it.each([
    ["search", 1_000, "cancelled"],
    ["search", 1_001, "failed"],
    ["submission", 2_000, "cancelled"],
    ["submission", 2_001, "failed"],
  ])("a caller of a %s who goes away after %i ms: %s", async (kind, milliseconds, result) => {
    const guarded = startGuarded();
    let clock = 0;
    vi.spyOn(performance, "now").mockImplementation(() => clock);
    guarded.world.make = () => {
      clock += milliseconds;
      return fails({ attempt: "cancelled" })();
    };
    await refusalOf(guarded.go(kind === "search" ? searchApplications : createApplication));
    expect(guarded.settled).toEqual([result]);
  });

  it.each([
    ["failed", "failed"],
    ["answered", "answered"],
    ["unusable", "unusable"],
  ] as const)(
    "all of its time, which began with the attempt, then %s: %s",
    async (attempt, result) => {
      const guarded = startGuarded();
      let clock = 60_000;
      vi.spyOn(performance, "now").mockImplementation(() => clock);
      guarded.world.make = () => {
        clock += 10_000;
        return fails({ attempt })();
      };
      await refusalOf(guarded.go());
      guarded.world.make = async () => {
        clock += 5;
        return answer;
      };
      await guarded.go();
      expect([guarded.settled, guarded.durations]).toEqual([
        [result, "answered"],
        [10_000, 5],
      ]);
    },
  );

  it("that ends with the gateway's own fault ends with that", async () => {
    const guarded = startGuarded();
    const fault = new TypeError("A fault");
    guarded.world.make = () => Promise.reject(fault);
    await expect(guarded.go()).rejects.toBe(fault);
  });

  it("counts an answer for which there was no room, and no other", async () => {
    const guarded = startGuarded();
    for (const reason of ["answer_bytes", "foreign_answer"]) {
      guarded.world.make = fails({ reason });
      await refusalOf(guarded.go());
    }
    expect(guarded.refusedAnswers()).toBe(1);
  });

  it.each([
    [498.9, "failed"],
    [499, "cancelled"],
  ])(
    "a failure after %d ms of the 500 ms that were left for it: %s",
    async (milliseconds, result) => {
      const guarded = startGuarded();
      let clock = 0;
      vi.spyOn(performance, "now").mockImplementation(() => clock);
      guarded.world.make = () => {
        clock += milliseconds;
        return fails({ attempt: "failed" })();
      };
      await refusalOf(guarded.go(searchApplications, callOf(), () => 500));
      expect(guarded.settled).toEqual([result]);
    },
  );

  it.each([
    ["failed", 10_000, "cancelled"],
    ["failed", 9_000, "failed"],
    ["cancelled", 5_000, "cancelled"],
    ["unusable", 10_000, "unusable"],
  ] as const)(
    "is not the insurer's failure where the time was too short after a wait for room: %s after %d of 10,000 ms",
    async (attempt, milliseconds, result) => {
      const guarded = startGuarded();
      let clock = 0;
      vi.spyOn(performance, "now").mockImplementation(() => clock);
      guarded.world.make = ({ waitsForRoom }) => {
        waitsForRoom();
        clock += milliseconds;
        return fails({ attempt })();
      };
      await refusalOf(guarded.go());
      expect(guarded.settled).toEqual([result]);
    },
  );

  const documentEnds: readonly (readonly [string, ExchangeEnd, AttemptResult])[] = [
    ["comes whole", { failure: null, heldUp: false }, "answered"],
    ["comes whole, slowly read", { failure: null, heldUp: true }, "answered"],
    ["breaks", { failure: new TransportError("body", "failed"), heldUp: false }, "failed"],
    ["takes too long", { failure: new TransportError("body", "timeout"), heldUp: false }, "failed"],
    ["is not read", { failure: new TransportError("body", "timeout"), heldUp: true }, "cancelled"],
    [
      "is given up",
      { failure: new TransportError("body", "cancelled"), heldUp: false },
      "cancelled",
    ],
    [
      "is too large",
      { failure: new TransportError("body", "too_large"), heldUp: false },
      "unusable",
    ],
  ];
  it.each(documentEnds)("a document that %s holds its place until then", async (_, end, result) => {
    const guarded = startGuarded();
    const endings: ((end: ExchangeEnd) => void)[] = [];
    guarded.world.make = async ({ ended }) => {
      endings.push(ended);
      return { ...answer, content: Readable.from([]) };
    };
    await guarded.go();
    expect([guarded.settled, guarded.bulkhead.running()]).toEqual([[], 1]);
    endings[0]?.(end);
    await vi.waitFor(() => expect(guarded.bulkhead.running()).toBe(0));
    expect([guarded.settled, guarded.ended]).toEqual([[result], [result]]);
  });

  it("counts each field of an answer that is another submission's", async () => {
    const guarded = startGuarded();
    guarded.world.make = fails({ attempt: "unusable", mismatched: ["/holder/afm", "/plate"] });
    await refusalOf(guarded.go(createApplication));
    expect(guarded.mismatched).toEqual(["/holder/afm", "/plate"]);
  });

  it.each([
    ["that are outdated, with others", { credentialsOutdated: true }, true, 1, true],
    ["that are outdated, without others", { credentialsOutdated: true }, false, 1, undefined],
    [
      "that are known",
      { credentialsOutdated: false, credentialsRefused: true },
      true,
      0,
      undefined,
    ],
  ] as const)("refused credentials %s", async (_, details, areOthers, asked, isReplaced) => {
    const guarded = startGuarded();
    let count = 0;
    guarded.shown.give(() => {
      count += 1;
      return areOthers;
    });
    guarded.world.make = fails({ attempt: "unusable", ...details });
    const refusal = await refusalOf(guarded.go());
    expect([count, refusal.details.credentialsReplaced]).toEqual([asked, isReplaced]);
    expect(refusal).toMatchObject({ code: "PROVIDER_UNREACHABLE", details });
  });
});
