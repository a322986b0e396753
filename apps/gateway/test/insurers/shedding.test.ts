import { describe, expect, it } from "vitest";
import { nextLoad, startLoadShedding } from "../../src/http/shedding.ts";
import { holdTime } from "../harness/held-time.ts";

describe("the share of requests that load shedding refuses", () => {
  it.each([
    // The refused share grows if the delay exceeds its limit: by 5 % times the ratio of the delay to the limit, at most
    // by 20 %.
    [251, 0.0502],
    [500, 0.1],
    [1_000, 0.2],
    [9_000, 0.2],
    [250, 0],
  ])(
    "the refused share of requests grows if the event loop's delay is above the limit: %i ms, share %d",
    (delayMs, share) => {
      const load = nextLoad({ share: 0, late: true }, delayMs, 250);
      expect(load).toEqual({ share: expect.closeTo(share, 9), late: delayMs > 250 });
    },
  );

  it("the refused share of requests shrinks by 0.02 at each measurement with a short delay", () => {
    expect(nextLoad({ share: 0.5, late: true }, 250, 250)).toEqual({ share: 0.48, late: false });
  });

  it("load shedding refuses no request after a single long delay of the event loop", () => {
    expect(nextLoad({ share: 0, late: false }, 900, 250)).toEqual({ share: 0, late: true });
  });

  it("the refused share of requests grows with the event loop's delay up to 95 %", () => {
    const small = nextLoad({ share: 0, late: true }, 260, 250).share;
    const large = nextLoad({ share: 0, late: true }, 900, 250).share;
    expect(small).toBeGreaterThan(0);
    expect(large).toBeGreaterThan(small);
    let load = { share: 0, late: true };
    for (let times = 0; times < 100; times += 1) load = nextLoad(load, 5_000, 250);
    expect(load.share).toBe(0.95);
  });

  it("the refused share of requests shrinks to 0 while the event loop's delays are short", () => {
    expect(nextLoad({ share: 0.5, late: true }, 20, 250).share, "slowly").toBeGreaterThan(0.4);
    let load = { share: 0.5, late: true };
    for (let times = 0; times < 30; times += 1) load = nextLoad(load, 20, 250);
    expect(load).toEqual({ share: 0, late: false });
  });
});

it("a process refuses requests with a Retry-After while its event loop is blocked, and accepts all requests afterwards", async () => {
  const time = holdTime();
  let shed = 0;
  let now = 0;
  const count = (): void => {
    shed += 1;
  };
  const shedding = startLoadShedding(
    () => ({ eventLoopDelayMs: 250, longestWaitMs: 2_000 }),
    time,
    count,
    () => now,
  );
  const pass = async (milliseconds: number): Promise<void> => {
    now += milliseconds;
    await time.tick();
  };
  const refusals = (): number => {
    let refused = 0;
    for (let request = 0; request < 500; request += 1)
      try {
        shedding.admit(0);
      } catch (error) {
        refused += 1;
        expect(error).toMatchObject({
          code: "OVERLOADED",
          details: {
            detail: "The gateway is overloaded; nothing was sent to an insurer.",
            reason: "event_loop",
            headers: { "retry-after": "1" },
          },
        });
      }
    return refused;
  };
  expect(time.intervals).toEqual([200]);
  expect(refusals()).toBe(0);
  expect(() => shedding.admit(2_000)).not.toThrow();
  expect(() => shedding.admit(2_001), "a request that has waited above the limit").toThrow(
    /OVERLOADED/,
  );
  shed = 0;
  for (let round = 0; round < 6; round += 1) await pass(700);
  const refused = refusals();
  expect(refused).toBeGreaterThan(0);
  expect(shed).toBe(refused);
  for (let round = 0; round < 60; round += 1) await pass(201);
  expect(refusals()).toBe(0);
  now += 200 + 500;
  expect(refusals(), "while the current turn of the event loop is short enough").toBe(0);
  now += 1;
  expect(refusals(), "while the current turn of the event loop is too long").toBeGreaterThan(400);
  await shedding.stop();
});
