import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { Refusal } from "../../src/problems/refusal.ts";
import {
  measureBusyShare,
  startDelayedRejections,
} from "../../src/resilience/delayed-rejections.ts";
import { holdTime } from "../harness/held-time.ts";

const unavailable = new Refusal("PROVIDER_UNAVAILABLE", { detail: "No place came free." });
const limited = new Refusal("RATE_LIMITED", { detail: "You may send 600 requests." });
const nowhere = new Refusal("NOT_FOUND", { detail: "There is no such path." });

/** What a test says of the process; it has no time to spare and many connections when left out. */
interface ProcessOptions {
  readonly busyShare?: () => number;
  readonly connections?: number;
}

/** Held refusals of a process, and the numbers of those that were let go. */
function start({ busyShare = () => 1, connections = 10_000 }: ProcessOptions = {}) {
  const time = holdTime();
  const refusals = startDelayedRejections({ time, connections: () => connections, busyShare });
  const released: number[] = [];
  return {
    released,
    intervals: time.intervals,
    stop: () => refusals.stop(),
    /** @returns whether it is held */
    refuse(number: number, refusal = unavailable, gone = new AbortController().signal): boolean {
      const wait = refusals.hold(refusal, gone);
      void wait?.then(() => released.push(number));
      return wait !== undefined;
    },
    async pass(milliseconds: number) {
      time.forward(milliseconds);
      await time.tick();
    },
  };
}

/** One whose process has been without time to spare for long enough. */
async function startSaturated(options: ProcessOptions = {}): Promise<ReturnType<typeof start>> {
  const process = start(options);
  await process.pass(200);
  await process.pass(200);
  return process;
}

describe("a refusal for want of capacity", () => {
  it.each([
    [0.94, false],
    [0.95, true],
  ])("waits for a process that is busy for %d of its time: %s", async (share, waits) => {
    const process = await startSaturated({ busyShare: () => share });
    expect(process.refuse(1)).toBe(waits);
  });

  it("is answered at once after one long pause alone", async () => {
    const shares = [1, 0.1, 1];
    const process = start({ busyShare: () => shares.shift() ?? 0 });
    for (let round = 0; round < 3; round += 1) {
      await process.pass(200);
      expect(process.refuse(round)).toBe(false);
    }
  });

  it("waits a second where the process has none, and no longer", async () => {
    const process = await startSaturated();
    expect(process.intervals).toEqual([200]);
    expect(process.refuse(1)).toBe(true);
    await process.pass(400);
    expect(process.refuse(2)).toBe(true);
    await process.pass(400);
    expect(process.released).toEqual([]);
    await process.pass(199);
    expect(process.released).toEqual([]);
    await process.pass(1);
    expect(process.released).toEqual([1]);
    await process.pass(400);
    expect(process.released).toEqual([1, 2]);
  });

  it.each([
    [10_000, 4_096],
    [1_000, 500],
  ])("of %d connections is answered at once when %d others wait", async (connections, most) => {
    const process = await startSaturated({ connections });
    for (let number = 0; number < most; number += 1) expect(process.refuse(number)).toBe(true);
    expect(process.refuse(most)).toBe(false);
  });

  it("is sent a few at a time in each turn of the event loop, so that everything else goes on", async () => {
    const process = await startSaturated();
    for (let number = 0; number < 500; number += 1) process.refuse(number);
    await process.pass(1_000);
    let [before, most] = [0, 0];
    for (let turn = 0; turn < 100; turn += 1) {
      most = Math.max(most, process.released.length - before);
      before = process.released.length;
      await setImmediate();
    }
    expect(process.released).toEqual(Array.from({ length: 500 }, (_, number) => number));
    expect(most).toBe(20);
  });

  it("of a caller who goes away leaves its place to another", async () => {
    const process = await startSaturated({ connections: 2 });
    const caller = new AbortController();
    expect(process.refuse(1, unavailable, caller.signal)).toBe(true);
    expect(process.refuse(2)).toBe(false);
    caller.abort();
    expect(process.refuse(3)).toBe(true);
    await setImmediate();
    expect(process.released).toEqual([1]);
    expect(process.refuse(4, unavailable, caller.signal), "of one who has gone").toBe(false);
  });

  it("is answered when the process ends, and no more are held", async () => {
    const process = await startSaturated();
    process.refuse(1);
    await process.stop();
    expect(process.released).toEqual([1]);
    expect(process.refuse(2)).toBe(false);
  });
});

it("a refusal that a retry would not change is never delayed, nor one whose caller has disconnected", async () => {
  const process = await startSaturated();
  expect(process.refuse(1, nowhere)).toBe(false);
  expect(process.refuse(2, limited), "of a caller over its limit").toBe(true);
  expect(process.refuse(3, unavailable, AbortSignal.abort())).toBe(false);
});

it("a process that only computes has no time to spare, and one that only waits has", async () => {
  const time = holdTime();
  const refusals = startDelayedRejections({
    time,
    connections: () => 10_000,
    busyShare: measureBusyShare(),
  });
  const isHeld = (): boolean =>
    refusals.hold(unavailable, new AbortController().signal) !== undefined;
  const compute = async (): Promise<void> => {
    // What it waited for before is looked at by itself.
    await time.tick();
    for (let round = 0; round < 2; round += 1) {
      const until = performance.now() + 60;
      while (performance.now() < until);
      await time.tick();
    }
  };
  await compute();
  expect(isHeld()).toBe(true);
  await vi.waitFor(async () => {
    await time.tick();
    expect(isHeld()).toBe(false);
  });
  // What was before it was last looked at does not count.
  await compute();
  expect(isHeld()).toBe(true);
  await refusals.stop();
});
