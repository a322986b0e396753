import type { AttemptResult } from "@insurance-gateway/core/runtime";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type Admission, createBreaker } from "../../src/insurers/resilience/breaker.ts";

const settings = {
  failuresInRow: 4,
  failurePercent: 50,
  minCalls: 4,
  windowMs: 1_000,
  openMs: 100,
  longestOpenMs: 400,
};
/** Retry-After of other calls while a trial call runs, in milliseconds. */
const TRIAL_MS = 1_000;

type Kind = "read" | "submission" | "probe";
type Command =
  | { readonly type: "admit"; readonly kind: Kind }
  /** Ends the oldest running call, or the call that began `later` calls after it. */
  | { readonly type: "settle"; readonly later: number; readonly result: AttemptResult }
  | { readonly type: "pass"; readonly milliseconds: number };

const kind = fc.constantFrom<Kind>("read", "read", "submission", "probe");
const result = fc.constantFrom<AttemptResult>(
  ...(["failed", "failed", "failed", "answered", "unusable", "cancelled"] as const),
);
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ type: fc.constant("admit" as const), kind }),
  fc.record({ type: fc.constant("admit" as const), kind }),
  fc.record({ type: fc.constant("settle" as const), later: fc.nat(3), result }),
  fc.record({ type: fc.constant("settle" as const), later: fc.nat(1), result }),
  fc.record({
    type: fc.constant("pass" as const),
    milliseconds: fc.constantFrom(1, 99, 100, 101, 199, 200, 400, 899, 900, 1_000),
  }),
);

/**
 * Creates a simple model of the breaker. The model applies the breaker's rules to a list of all calls since the last
 * closing.
 */
function createModel() {
  let now = 0;
  /** Number of the current period; each opening and closing of the breaker begins a new period. */
  let period = 0;
  let openUntil: number | null = null;
  let openings = 0;
  let isTried = false;
  let closings = 0;
  let calls: readonly { readonly at: number; readonly failed: boolean }[] = [];

  const open = (): void => {
    period += 1;
    isTried = false;
    openUntil = now + Math.min(settings.longestOpenMs, settings.openMs * 2 ** openings);
    openings += 1;
  };
  const close = (): void => {
    period += 1;
    isTried = false;
    openUntil = null;
    openings = 0;
    calls = [];
    closings += 1;
  };
  /**
   * Returns the number of the step that contains the time `at`. The breaker's window slides in steps of a tenth of the
   * window's length.
   */
  const part = (at: number): number => Math.floor(at / (settings.windowMs / 10));
  const count = (failed: boolean): void => {
    calls = [...calls, { at: now, failed }];
    const inRow = calls.length - 1 - calls.findLastIndex((call) => !call.failed);
    const recent = calls.filter(({ at }) => part(at) > part(now) - 10);
    const share = recent.filter((call) => call.failed).length / recent.length;
    const isHalf = recent.length >= settings.minCalls && share >= settings.failurePercent / 100;
    if (inRow >= settings.failuresInRow || isHalf) open();
  };
  const leftMs = (actsAtInsurer: boolean): number => {
    if (openUntil === null) return 0;
    const left = openUntil + (actsAtInsurer ? settings.openMs : 0) - now;
    return left > 0 ? left : isTried ? TRIAL_MS : 0;
  };
  return {
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    now: () => now,
    leftMs,
    closings: () => closings,
    state: () => (openUntil === null ? "closed" : now < openUntil ? "open" : "half_open"),
    /** Admits a call; returns a function that records the call's result. */
    admit(admitted: Kind): (ended: AttemptResult) => void {
      const admittedIn = period;
      const isProbe = admitted === "probe";
      const isTrial = openUntil !== null && !isProbe;
      if (isTrial) isTried = true;
      return (ended) => {
        if (period !== admittedIn) return;
        const isAnswer = ended === "answered" || ended === "unusable";
        if (openUntil === null) {
          if (ended === "failed" || ended === "answered") count(ended === "failed");
        } else if (isAnswer) close();
        else if (isTrial && ended === "failed") open();
        else if (isTrial) isTried = false;
      };
    },
  };
}

it("the circuit breaker behaves like a simple model of its rules in every random sequence of calls, results and times", () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 5, maxLength: 60 }), (commands) => {
      const model = createModel();
      let closings = 0;
      const breaker = createBreaker(
        () => settings,
        model.now,
        () => {
          closings += 1;
        },
      );
      const underWay: ((ended: AttemptResult) => void)[] = [];
      for (const next of commands) {
        if (next.type === "pass") model.pass(next.milliseconds);
        else if (next.type === "settle")
          underWay.splice(Math.min(next.later, underWay.length - 1), 1)[0]?.(next.result);
        else {
          const left = next.kind === "probe" ? 0 : model.leftMs(next.kind === "submission");
          const admission: Admission =
            next.kind === "probe"
              ? breaker.admitProbe()
              : breaker.admit(next.kind === "submission");
          if (!admission.admitted) expect(admission.retryInMs).toBe(left);
          else {
            expect(left).toBe(0);
            const end = model.admit(next.kind);
            underWay.push((ended) => {
              end(ended);
              admission.settle(ended);
            });
          }
        }
        expect({
          state: breaker.state(),
          closings,
          reads: breaker.closedForMs(false),
          submissions: breaker.closedForMs(true),
        }).toEqual({
          state: model.state(),
          closings: model.closings(),
          reads: model.leftMs(false),
          submissions: model.leftMs(true),
        });
      }
    }),
    { numRuns: 1_000 },
  );
});
