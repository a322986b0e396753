import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/problems/refusal.ts";
import { startHeldRefusals } from "../../src/resilience/held-refusals.ts";
import { holdTime } from "../harness/held-time.ts";

const forCapacity = new Refusal("PROVIDER_UNAVAILABLE", {
  detail: "No place came free.",
  headers: { "retry-after": "1" },
});
const forGood = new Refusal("NOT_FOUND", { detail: "There is no such path." });

/** Held refusals whose process is as busy as the test says, and the numbers of those that were let go. */
function start(busyShare: number) {
  const time = holdTime();
  const refusals = startHeldRefusals(time, () => busyShare);
  const released: number[] = [];
  return {
    released,
    stop: () => refusals.stop(),
    /** @returns whether it is held */
    refuse(number: number, refusal = forCapacity): boolean {
      const wait = refusals.hold(refusal);
      void wait?.then(() => released.push(number));
      return wait !== undefined;
    },
    async pass(milliseconds: number) {
      time.forward(milliseconds);
      await time.tick();
      await Promise.resolve();
    },
  };
}

describe("a refusal for want of capacity", () => {
  it("is answered at once by a process that has time to spare", async () => {
    const process = start(0.9);
    await process.pass(200);
    expect(process.refuse(1)).toBe(false);
  });

  it("waits a second where the process has none, and no longer", async () => {
    const process = start(1);
    await process.pass(200);
    expect(process.refuse(1)).toBe(true);
    await process.pass(400);
    expect(process.refuse(2)).toBe(true);
    await process.pass(400);
    expect(process.released).toEqual([]);
    await process.pass(200);
    expect(process.released).toEqual([1]);
    await process.pass(400);
    expect(process.released).toEqual([1, 2]);
  });

  it("is answered at once when 4,096 others wait", async () => {
    const process = start(1);
    await process.pass(200);
    for (let number = 0; number < 4_096; number += 1) expect(process.refuse(number)).toBe(true);
    expect(process.refuse(4_096)).toBe(false);
    await process.pass(1_000);
    expect(process.released).toHaveLength(4_096);
    expect(process.refuse(4_097)).toBe(true);
  });

  it("is answered when the process ends", async () => {
    const process = start(1);
    await process.pass(200);
    process.refuse(1);
    await process.stop();
    expect(process.released).toEqual([1]);
  });
});

it("a refusal that coming back would not change never waits", async () => {
  const process = start(1);
  await process.pass(200);
  expect(process.refuse(1, forGood)).toBe(false);
});
