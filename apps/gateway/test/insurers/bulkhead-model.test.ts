import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createBulkhead } from "../../src/insurers/resilience/bulkhead.ts";

const settings = { running: 2, queued: 2, queueMs: 100 };

type Command =
  | { readonly type: "enter"; readonly mostMs: number; readonly isPatient: boolean }
  /**
   * Ends the running call that has used its slot for the longest time if `later` is 0, or the next running call if
   * `later` is 1.
   */
  | { readonly type: "leave"; readonly later: number; readonly twice: boolean }
  | { readonly type: "pass"; readonly milliseconds: number };

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    type: fc.constant("enter" as const),
    mostMs: fc.constantFrom(1, 50, 100, 500),
    isPatient: fc.boolean(),
  }),
  fc.record({ type: fc.constant("leave" as const), later: fc.nat(1), twice: fc.boolean() }),
  fc.record({
    type: fc.constant("pass" as const),
    milliseconds: fc.constantFrom(1, 49, 50, 51, 100, 400),
  }),
);

interface Waiting {
  readonly number: number;
  readonly isPatient: boolean;
  readonly until: number;
}

/** Creates a simple model of the bulkhead. The model keeps the numbers of the waiting, running and refused calls. */
function createModel() {
  let now = 0;
  let waiting: readonly Waiting[] = [];
  const running: number[] = [];
  const refused: number[] = [];
  const queued = (): number => waiting.filter(({ isPatient }) => !isPatient).length;
  return {
    running,
    refused,
    queued,
    enter(number: number, mostMs: number, isPatient: boolean): void {
      if (running.length < settings.running) running.push(number);
      else if (!isPatient && queued() >= settings.queued) refused.push(number);
      else {
        const waitMs = isPatient ? mostMs : Math.min(mostMs, settings.queueMs);
        waiting = [...waiting, { number, isPatient, until: now + waitMs }];
      }
    },
    leave(number: number): void {
      running.splice(running.indexOf(number), 1);
      // The call that has waited longest is next; calls that waited for credentials come after all others.
      const next = waiting.find(({ isPatient }) => !isPatient) ?? waiting[0];
      if (next === undefined) return;
      waiting = waiting.filter((one) => one !== next);
      running.push(next.number);
    },
    pass(milliseconds: number): void {
      now += milliseconds;
      const late = waiting.filter(({ until }) => until <= now);
      waiting = waiting.filter(({ until }) => until > now);
      refused.push(
        ...late.toSorted((one, other) => one.until - other.until).map((one) => one.number),
      );
    },
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("the bulkhead behaves like a simple model of its rules in every random sequence of calls", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
      const model = createModel();
      const bulkhead = createBulkhead(() => settings);
      const places = new Map<number, () => void>();
      const refused: number[] = [];
      for (const [number, next] of commands.entries()) {
        if (next.type === "enter") {
          model.enter(number, next.mostMs, next.isPatient);
          void bulkhead.enter("default", next.mostMs, next.isPatient).then((leave) => {
            if (leave === null) refused.push(number);
            else places.set(number, leave);
          });
        } else if (next.type === "leave") {
          const [leaving] = [...places.keys()].slice(next.later);
          if (leaving === undefined) continue;
          model.leave(leaving);
          const leave = places.get(leaving);
          places.delete(leaving);
          leave?.();
          // A second release of the same slot must free no further slot.
          if (next.twice) leave?.();
        } else model.pass(next.milliseconds);
        await vi.advanceTimersByTimeAsync(next.type === "pass" ? next.milliseconds : 0);
        const sorted = (numbers: Iterable<number>): readonly number[] =>
          [...numbers].toSorted((one, other) => one - other);
        expect({
          running: sorted(places.keys()),
          refused: sorted(refused),
          counts: [bulkhead.running(), bulkhead.queued()],
        }).toEqual({
          running: sorted(model.running),
          refused: sorted(model.refused),
          counts: [model.running.length, model.queued()],
        });
      }
    }),
    { numRuns: 300 },
  );
});
