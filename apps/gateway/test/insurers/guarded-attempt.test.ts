import { CredentialsError, type CredentialsFault } from "@insurance-gateway/core/auth";
import { Refusal } from "@insurance-gateway/core/runtime";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isHeldBack } from "../../src/insurers/resilience/guard-insurer.ts";

import { callOf } from "../harness/one-attempt.ts";
import { answer, refusalOf, startGuarded } from "./guarded-insurer.ts";

describe("an insurer behind an open circuit breaker", () => {
  it.each([
    [1, "1"],
    [1_000, "1"],
    [1_001, "2"],
    [29_999, "30"],
  ])(
    "the gateway sends no call to the insurer while the circuit breaker is open: %i ms left, Retry-After %s",
    async (closedForMs, retryAfter) => {
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
    },
  );

  it("the circuit breaker decides separately about submissions and other calls, and an open circuit breaker admits a test call", async () => {
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
  "the gateway holds back submissions during the insurer's maintenance, but sends other calls: %i ms left, Retry-After %s",
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
])(
  "the reason of a refusal determines whether the gateway counts the call as held back: reason %s, held back %s",
  (reason, expected) => {
    const details = { detail: "", ...(reason === undefined ? {} : { reason }) };
    expect(isHeldBack(new Refusal("PROVIDER_UNAVAILABLE", details))).toBe(expected);
  },
);

describe("a call without a free slot", () => {
  it.each([
    ["a call that counts as queued", false],
    ["a call that has waited for credentials and does not count as queued", true],
  ])("a call waits for a slot up to the call's time limit: %s", async (_, hasWaited) => {
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

  it("the gateway does not send a call if no slot becomes free within the call's time limit", async () => {
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

  it("a call whose credentials expire before a slot is free leaves the slot to other calls until new credentials arrive", async () => {
    const guarded = startGuarded();
    const leave = await guarded.bulkhead.enter("default", 0);
    const call = guarded.go();
    guarded.shown.takeAway();
    leave?.();
    await vi.waitFor(() => expect(guarded.shown.waits).toHaveLength(1));
    expect(guarded.bulkhead.running(), "another call can use the slot").toBe(0);
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
  it("a call uses no slot while it waits for credentials, and the wait ends with the call's time or the caller's disconnect", async () => {
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
  it.each(Object.entries(faults))(
    "the gateway does not send a call if the wait for credentials fails: %s is reported as %s",
    async (fault, code) => {
      const guarded = startGuarded();
      guarded.shown.takeAway();
      const call = guarded.go();
      // Each key of `faults` is a fault.
      guarded.shown.fail(new CredentialsError(fault as CredentialsFault));
      const refusal = await refusalOf(call);
      expect(refusal).toMatchObject({ code, details: { reason: `credentials_${fault}` } });
      expect(refusal.facts).toMatchObject({ outcome: "not_sent", retry: "safe" });
      expect(refusal.details.detail).toMatch(/not sent\.$/);
      expect([guarded.ended, guarded.bulkhead.running()]).toEqual([[], 0]);
    },
  );

  it("a call rejects with exactly the internal error with which its wait for credentials failed", async () => {
    const guarded = startGuarded();
    guarded.shown.takeAway();
    const call = guarded.go();
    guarded.shown.fail(new TypeError("A fault"));
    await expect(call).rejects.toThrow(new TypeError("A fault"));
  });
});
