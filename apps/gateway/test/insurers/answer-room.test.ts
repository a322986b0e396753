import { Readable } from "node:stream";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { AnswerMemory, ReservedMemory } from "../../src/insurers/exchange/answer-budget.ts";
import {
  CallerTooSlowError,
  releaseAfterSending,
  reserveFor,
} from "../../src/insurers/exchange/whole-answer.ts";
import { holdTimers } from "../harness/held-timers.ts";

const reserved: ReservedMemory = { reduce: () => undefined, release: () => undefined };

/**
 * Creates a memory budget with or without free memory. `waits` records the maximum time for which each call would wait.
 */
function roomThatIs(found: ReservedMemory | null) {
  const waits: number[] = [];
  let taken = 0;
  const room: AnswerMemory = {
    async reserve(_, { mostMs }) {
      waits.push(mostMs);
      return found;
    },
    take() {
      taken += 1;
      return reserved;
    },
  };
  return { room, taken: () => taken, waits };
}

describe("a call that changes nothing at the insurer", () => {
  const call = { actsAtInsurer: false, signal: null, waits: () => undefined };
  it.each([
    [20_000, 5_000],
    [10_000, 5_000],
    [9_998, 4_999],
    [-1, 0],
  ])(
    "a read-only call waits for memory for its answer at most half of the call's remaining time, and at most 5 s: %i ms left, %i ms wait",
    async (leftMs, mostMs) => {
      const { room, taken, waits } = roomThatIs(reserved);
      expect(await reserveFor({ ...call, room, leftMs: () => leftMs })(7)).toBe(reserved);
      expect([waits, taken()]).toEqual([[mostMs], 0]);
    },
  );

  it.each([
    [
      "as `OVERLOADED`, which the caller can retry",
      null,
      { code: "OVERLOADED", details: { reason: "answer_bytes" } },
    ],
    ["as cancelled, because its caller disconnected", AbortSignal.abort(), { reason: "cancelled" }],
  ])("a read-only call without memory for its answer fails: %s", async (_, signal, expected) => {
    const { room } = roomThatIs(null);
    const reserving = reserveFor({ ...call, room, signal, leftMs: () => 1_000 })(7);
    await expect(reserving).rejects.toMatchObject(expected);
  });
});

it("a submission reserves memory for its answer at once, even if the budget has no free memory", async () => {
  const { room, taken, waits } = roomThatIs(null);
  const call = { actsAtInsurer: true, signal: null, waits: () => undefined, leftMs: () => 1_000 };
  expect(await reserveFor({ ...call, room })(7)).toBe(reserved);
  expect([waits, taken()]).toEqual([[], 1]);
});

describe("a document held in memory", () => {
  beforeEach(() => holdTimers(["setTimeout", "clearTimeout"]));

  function hold() {
    let releases = 0;
    const memory = Buffer.from("pdf");
    const release = (): void => {
      releases += 1;
      memory.fill("x");
    };
    const held = releaseAfterSending(Readable.from([memory]), { leftMs: 1_000, release });
    return { held, releases: () => releases };
  }

  it("the gateway sends a copy of a document in memory, and releases the memory as soon as the whole document is copied", async () => {
    const { held, releases } = hold();
    expect(releases()).toBe(0);
    const chunks = await held.toArray();
    expect([releases(), vi.getTimerCount()]).toEqual([1, 0]);
    expect(Buffer.concat(chunks).toString()).toBe("pdf");
  });

  it("the transfer of an unread document fails when the call's time ends, and the gateway releases the document's memory", async () => {
    const { held, releases } = hold();
    await vi.advanceTimersByTimeAsync(999);
    expect([releases(), held.destroyed]).toEqual([0, false]);
    vi.advanceTimersByTime(1);
    expect([releases(), held.destroyed]).toEqual([1, true]);
    await expect(held.toArray()).rejects.toThrow(CallerTooSlowError);
  });

  it("the gateway releases a document's memory as soon as the transfer is cancelled", async () => {
    const { held, releases } = hold();
    const closed = new Promise((resolve) => held.once("close", resolve));
    held.destroy();
    await closed;
    expect([releases(), vi.getTimerCount()]).toEqual([1, 0]);
  });
});
