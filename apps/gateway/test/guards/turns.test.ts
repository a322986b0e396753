import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createTurns } from "../../src/listener/turns.ts";

/** Keeps the process busy. */
function holdUp(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe("work that comes in one turn of the event loop", () => {
  it("is begun at once while there is time", () => {
    const turns = createTurns();
    const waits: number[] = [];
    turns.take((waited) => waits.push(waited));
    turns.take((waited) => waits.push(waited));
    expect(waits).toEqual([0, 0]);
  });

  it("waits for later turns when there is too much, and keeps its order", async () => {
    const turns = createTurns();
    const begun: number[] = [];
    for (let number = 0; number < 20; number += 1)
      turns.take(() => {
        begun.push(number);
        holdUp(3);
      });
    expect(begun.length).toBeLessThan(10);
    while (begun.length < 20) await setImmediate();
    expect(begun).toEqual(Array.from({ length: 20 }, (_, number) => number));
  });

  it("is begun also when every turn is long, and more comes in each", async () => {
    const turns = createTurns();
    let begun = 0;
    const take = (): void =>
      turns.take(() => {
        begun += 1;
      });
    holdUp(1);
    for (let number = 0; number < 5; number += 1) turns.take(() => holdUp(5));
    let taken = 0;
    for (let turn = 0; turn < 20; turn += 1) {
      for (; taken < 10 * (turn + 1); taken += 1) take();
      // Answers are written, and take longer than a turn may.
      holdUp(12);
      await setImmediate();
    }
    expect(begun).toBeGreaterThan(taken / 2);
  });

  it.each([
    ["ten milliseconds, and one step more", 0, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ["ten milliseconds with two connections", 2, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ["one millisecond with three connections in 100 ms", 3, [0, 0]],
  ])("is begun at once for %s", (_, connections, expected) => {
    let now = 0;
    const turns = createTurns(() => now);
    for (let number = 0; number < connections; number += 1) turns.connected();
    const waits: number[] = [];
    for (let number = 0; number < 20; number += 1)
      turns.take((waited) => {
        waits.push(waited);
        now += 1;
      });
    expect(waits).toEqual(expected);
  });

  it.each([
    [97, false],
    [98, true],
  ])(
    "that begins %i ms after the first of three connections, and goes on 2 ms later: %j",
    (begin, goesOn) => {
      let now = 0;
      const turns = createTurns(() => now);
      for (let number = 0; number < 3; number += 1) turns.connected();
      now = begin;
      turns.take(() => {});
      now += 2;
      let isBegun = false;
      turns.take(() => {
        isBegun = true;
      });
      expect(isBegun).toBe(goesOn);
    },
  );

  it("knows how long it has waited, and is begun two hundred at a time at most", async () => {
    let now = 0;
    const turns = createTurns(() => now);
    turns.take(() => {
      now = 11;
    });
    const waits: number[] = [];
    for (let number = 0; number < 450; number += 1) turns.take((waited) => waits.push(waited));
    expect(waits).toEqual([]);
    now = 18;
    const begun: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      await setImmediate();
      begun.push(waits.length);
    }
    expect([...new Set(begun)]).toEqual(expect.arrayContaining([200, 400, 450]));
    expect(new Set(waits)).toEqual(new Set([7]));
  });

  it("that has waited is begun after what is ready was sent", async () => {
    let now = 0;
    const done: string[] = [];
    const turns = createTurns(() => now);
    turns.take(() => {
      now = 11;
    });
    turns.take(() => {
      done.push("first");
      turns.send(() => void done.push("answer to the first"));
    });
    turns.take(() => void done.push("second"));
    expect(done).toEqual([]);
    while (!done.includes("second")) await setImmediate();
    expect(done).toEqual(["first", "answer to the first", "second"]);
  });

  it("is less while connections come, each of which waits for a turn of its own", async () => {
    let now = 0;
    const turns = createTurns(() => now);
    const begunAtOnce = async (): Promise<number> => {
      const begun: number[] = [];
      for (let number = 0; number < 20; number += 1)
        turns.take(() => {
          begun.push(number);
          now += 1;
        });
      const atOnce = begun.length;
      while (begun.length < 20) await setImmediate();
      // The last turn ends, too.
      await setImmediate();
      return atOnce;
    };
    const usual = await begunAtOnce();
    now += 1_000;
    turns.connected();
    expect(await begunAtOnce(), "one alone").toBe(usual);
    turns.connected();
    turns.connected();
    expect(await begunAtOnce()).toBeLessThan(usual / 3);
    now += 1_000;
    expect(await begunAtOnce()).toBe(usual);
  });
});
