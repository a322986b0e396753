import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AnswerRoom, ReservedRoom } from "../../src/insurers/exchange/answer-budget.ts";
import {
  CallerTooSlowError,
  holding,
  reserveFor,
} from "../../src/insurers/exchange/whole-answer.ts";

const reserved: ReservedRoom = { reduce: () => undefined, release: () => undefined };

/** Room that is free or not, and how long each call was ready to wait for it. */
function roomThatIs(found: ReservedRoom | null) {
  const waits: number[] = [];
  let taken = 0;
  const room: AnswerRoom = {
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

describe("a call that changes nothing", () => {
  const call = { actsAtInsurer: false, signal: null, waits: () => undefined };
  it.each([
    [20_000, 5_000],
    [10_000, 5_000],
    [9_998, 4_999],
    [-1, 0],
  ])(
    "a call that changes nothing with %i ms left waits at most %i ms for room",
    async (leftMs, mostMs) => {
      const { room, taken, waits } = roomThatIs(reserved);
      expect(await reserveFor({ ...call, room, leftMs: () => leftMs })(7)).toBe(reserved);
      expect([waits, taken()]).toEqual([[mostMs], 0]);
    },
  );

  it.each([
    ["is to be made again", null, { code: "OVERLOADED", details: { reason: "answer_bytes" } }],
    ["is given up by a caller who has gone", AbortSignal.abort(), { reason: "cancelled" }],
  ])("a call that changes nothing without room %s", async (_, signal, expected) => {
    const { room } = roomThatIs(null);
    const reserving = reserveFor({ ...call, room, signal, leftMs: () => 1_000 })(7);
    await expect(reserving).rejects.toMatchObject(expected);
  });
});

it("a submission takes its room at once, whether there is any or not", async () => {
  const { room, taken, waits } = roomThatIs(null);
  const call = { actsAtInsurer: true, signal: null, waits: () => undefined, leftMs: () => 1_000 };
  expect(await reserveFor({ ...call, room })(7)).toBe(reserved);
  expect([waits, taken()]).toEqual([[], 1]);
});

describe("a document in memory", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  function hold() {
    let releases = 0;
    const memory = Buffer.from("pdf");
    const release = (): void => {
      releases += 1;
      memory.fill("x");
    };
    const held = holding(Readable.from([memory]), { leftMs: 1_000, release });
    return { held, releases: () => releases };
  }

  it("holds its room until it is passed on, in a copy of its own", async () => {
    const { held, releases } = hold();
    expect(releases()).toBe(0);
    const chunks = await held.toArray();
    expect([releases(), vi.getTimerCount()]).toEqual([1, 0]);
    expect(Buffer.concat(chunks).toString()).toBe("pdf");
  });

  it("an unread document in memory releases its room when the time of its call ends, and breaks", async () => {
    const { held, releases } = hold();
    await vi.advanceTimersByTimeAsync(999);
    expect([releases(), held.destroyed]).toEqual([0, false]);
    vi.advanceTimersByTime(1);
    expect([releases(), held.destroyed]).toEqual([1, true]);
    await expect(held.toArray()).rejects.toThrow(CallerTooSlowError);
  });

  it("a cancelled document in memory releases its room at once", async () => {
    const { held, releases } = hold();
    const closed = new Promise((resolve) => held.once("close", resolve));
    held.destroy();
    await closed;
    expect([releases(), vi.getTimerCount()]).toEqual([1, 0]);
  });
});
