import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bulkhead, createBulkhead } from "../../src/insurers/resilience/bulkhead.ts";

/** A call that requests a slot. */
interface Call {
  readonly account: string;
  state: "waiting" | "inside" | "refused" | "left";
  leave?: () => void;
}

/** The calls that reached a bulkhead, in the order of arrival. */
interface Calls {
  readonly all: readonly Call[];
  count(account: string, state: Call["state"]): number;
  enter(account: string, isPatient?: boolean): Promise<void>;
  /** Ends the oldest running call of an account. */
  leave(account: string): Promise<void>;
}

function callsOf(bulkhead: Bulkhead): Calls {
  const all: Call[] = [];
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    all,
    count: (account, state) =>
      all.filter((call) => call.account === account && call.state === state).length,
    async enter(account, isPatient = false) {
      const call: Call = { account, state: "waiting" };
      all.push(call);
      void bulkhead.enter(account, 60_000, isPatient).then((leave) => {
        call.state = leave === null ? "refused" : "inside";
        if (leave !== null) call.leave = leave;
      });
      await settled();
    },
    async leave(account) {
      const first = all.find((call) => call.account === account && call.state === "inside");
      if (first === undefined) return;
      first.state = "left";
      first.leave?.();
      await settled();
    },
  };
}

const settings = { running: 8, queued: 8, queueMs: 60_000 };
/** A quarter of the bulkhead's slots: one account's maximum while calls of other accounts wait. */
const SHARE = 2;

async function many(calls: Calls, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) await calls.enter("many");
}

describe("the slots of a bulkhead", () => {
  it("every account can have at least one waiting call, even if the bulkhead's queue has fewer places than there are accounts", async () => {
    const calls = callsOf(createBulkhead(() => ({ ...settings, running: 1, queued: 2 })));
    await many(calls, 3);
    await calls.enter("few");
    await calls.enter("few");
    // The first call of `few` replaces the newest waiting call of `many`. The second call of `few` is refused.
    expect(calls.all.map(({ account, state }) => `${account} ${state}`)).toEqual([
      "many inside",
      "many waiting",
      "many refused",
      "few waiting",
      "few refused",
    ]);
  });

  it("a free slot goes to an account with less than a quarter of the slots before an account that has waited longer", async () => {
    const calls = callsOf(createBulkhead(() => settings));
    await many(calls, 12);
    await calls.enter("few");
    await calls.leave("many");
    expect([calls.count("few", "inside"), calls.count("many", "inside")]).toEqual([1, 7]);
  });

  it("one account can use all slots while no other account waits", async () => {
    const calls = callsOf(createBulkhead(() => settings));
    await many(calls, 9);
    await calls.leave("many");
    expect(calls.count("many", "inside")).toBe(8);
  });

  it("calls that already wait for a slot get newly configured slots before later calls", async () => {
    let running = 1;
    const calls = callsOf(createBulkhead(() => ({ ...settings, running })));
    await calls.enter("first");
    await calls.enter("waiting");
    running = 2;
    await calls.enter("new");
    expect(calls.all.map(({ state }) => state)).toEqual(["inside", "inside", "waiting"]);
  });

  it("a call that has already waited for credentials gets a slot only after all other waiting calls", async () => {
    const calls = callsOf(createBulkhead(() => ({ ...settings, running: 1 })));
    await calls.enter("first");
    await calls.enter("patient", true);
    await calls.enter("hasty");
    await calls.leave("first");
    expect(calls.all.map(({ state }) => state)).toEqual(["left", "waiting", "inside"]);
    await calls.leave("hasty");
    expect(calls.count("patient", "inside")).toBe(1);
  });

  it("a full queue drops the newest call of the account with the most waiting calls to admit a call of another account", async () => {
    const calls = callsOf(createBulkhead(() => settings));
    await many(calls, 16);
    await many(calls, 1);
    expect(calls.count("many", "refused")).toBe(1);
    await calls.enter("few");
    expect(calls.count("few", "waiting")).toBe(1);
    expect(calls.count("many", "refused")).toBe(2);
  });

  it("an account that uses a quarter of the slots gets no further slot while an account with fewer slots waits", async () => {
    const accounts = ["a", "b", "c", "d", "e"];
    const step = fc.record({
      account: fc.constantFrom(...accounts),
      enters: fc.boolean(),
      isPatient: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
        const bulkhead = createBulkhead(() => settings);
        const calls = callsOf(bulkhead);
        for (const { account, enters, isPatient } of steps) {
          const wereWaiting = calls.all.filter(({ state }) => state === "waiting");
          if (enters) await calls.enter(account, isPatient);
          else await calls.leave(account);
          const inside = calls.all.filter(({ state }) => state === "inside").length;
          const waiting = calls.all.filter(({ state }) => state === "waiting");
          expect(inside).toBe(bulkhead.running());
          if (waiting.length > 0) expect(inside).toBe(settings.running);
          const given = wereWaiting.find(({ state }) => state === "inside");
          if (given === undefined || calls.count(given.account, "inside") <= SHARE) continue;
          for (const other of waiting)
            expect(calls.count(other.account, "inside")).toBeGreaterThanOrEqual(SHARE);
        }
      }),
    );
  });
});
