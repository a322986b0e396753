import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createTurns } from "../../src/listener/turns.ts";
import { createWorkload } from "../../src/listener/workload.ts";

/** Keeps the process busy. */
function holdUp(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe("work that comes in one turn of the event loop", () => {
  it("is begun together when the event loop has read what it can, before what the first left to be done", async () => {
    const turns = createTurns(createWorkload());
    const done: string[] = [];
    for (const name of ["first", "second"])
      turns.take(() => {
        done.push(name);
        queueMicrotask(() => done.push(`${name} goes on`));
      });
    expect(done).toEqual([]);
    await setImmediate();
    expect(done).toEqual(["first", "second", "first goes on", "second goes on"]);
  });

  it("waits for later turns when there is too much, and keeps its order", async () => {
    const turns = createTurns(createWorkload());
    const begun: number[] = [];
    for (let number = 0; number < 20; number += 1)
      turns.take(() => {
        begun.push(number);
        holdUp(3);
      });
    await setImmediate();
    expect(begun.length).toBeGreaterThan(0);
    expect(begun.length).toBeLessThan(10);
    while (begun.length < 20) await setImmediate();
    expect(begun).toEqual(Array.from({ length: 20 }, (_, number) => number));
  });

  it("is begun also when every turn is long, and more comes in each", async () => {
    const turns = createTurns(createWorkload());
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
    ["ten milliseconds, and one more", 0, 11],
    ["ten milliseconds with two connections", 2, 11],
    ["one millisecond with three connections in 100 ms", 3, 2],
  ])("is begun in its turn for %s", async (_, connections, expected) => {
    let now = 0;
    const turns = createTurns(createWorkload(), () => now);
    for (let number = 0; number < connections; number += 1) turns.connected();
    const waits: number[] = [];
    for (let number = 0; number < 20; number += 1)
      turns.take((waited) => {
        waits.push(waited);
        now += 1;
      });
    await setImmediate();
    expect(waits).toEqual(Array.from({ length: expected }, (__, number) => number));
  });

  it.each([
    [97, false],
    [98, true],
  ])(
    "that begins %i ms after the first of three connections, and goes on 2 ms later: %j",
    async (begin, goesOn) => {
      let now = 0;
      const turns = createTurns(createWorkload(), () => now);
      for (let number = 0; number < 3; number += 1) turns.connected();
      now = begin;
      turns.take(() => {
        now += 2;
      });
      let isBegun = false;
      turns.take(() => {
        isBegun = true;
      });
      await setImmediate();
      expect(isBegun).toBe(goesOn);
    },
  );

  it("knows how long it has waited, and is begun two hundred at a time at most", async () => {
    let now = 0;
    const turns = createTurns(createWorkload(), () => now);
    const waits: number[] = [];
    for (let number = 0; number < 450; number += 1) turns.take((waited) => waits.push(waited));
    expect(waits).toEqual([]);
    now = 7;
    const begun: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      await setImmediate();
      begun.push(waits.length);
    }
    expect([...new Set(begun)]).toEqual(expect.arrayContaining([200, 400, 450]));
    expect(new Set(waits)).toEqual(new Set([7]));
  });

  it("is begun five at a time, each time after what is ready was sent", async () => {
    const done: string[] = [];
    const turns = createTurns(createWorkload());
    for (let number = 1; number <= 6; number += 1)
      turns.take(() => {
        done.push(`begun ${number}`);
        if (number < 3) turns.send(() => void done.push(`sent ${number}`));
      });
    await setImmediate();
    expect(done.slice(4)).toEqual(["begun 5", "sent 1", "sent 2", "begun 6"]);
  });

  it.each([
    ["ten milliseconds, and one step more", 0, 15],
    ["one millisecond while connections come, and one more", 3, 2],
  ])(
    "is begun for %s, also by what it does later in its step",
    async (_, connections, expected) => {
      let now = 0;
      const turns = createTurns(createWorkload(), () => now);
      for (let number = 0; number < connections; number += 1) turns.connected();
      let begun = 0;
      for (let number = 0; number < 30; number += 1)
        turns.take(() => {
          begun += 1;
          queueMicrotask(() => {
            now += 1;
          });
        });
      await setImmediate();
      expect(begun).toBe(expected);
    },
  );

  it("is begun in each turn, however long answers were sent before", async () => {
    let now = 0;
    const turns = createTurns(createWorkload(), () => now);
    let isBegun = false;
    turns.take(() => {
      isBegun = true;
    });
    turns.send(() => {
      now += 11;
    });
    await setImmediate();
    expect(isBegun).toBe(true);
  });

  it("is less while connections come, each of which waits for a turn of its own", async () => {
    let now = 0;
    const turns = createTurns(createWorkload(), () => now);
    const begunInATurn = async (): Promise<number> => {
      const begun: number[] = [];
      for (let number = 0; number < 20; number += 1)
        turns.take(() => {
          begun.push(number);
          now += 1;
        });
      await setImmediate();
      const first = begun.length;
      while (begun.length < 20) await setImmediate();
      // The last turn ends, too.
      await setImmediate();
      return first;
    };
    const usual = await begunInATurn();
    now += 1_000;
    turns.connected();
    expect(await begunInATurn(), "one alone").toBe(usual);
    turns.connected();
    turns.connected();
    expect(await begunInATurn()).toBeLessThan(usual / 3);
    now += 1_000;
    expect(await begunInATurn()).toBe(usual);
  });

  it("is begun in one turn while fewer than 128 requests are in progress, however many have ended", async () => {
    const turns = createTurns(createWorkload(), () => 0);
    let begun = 0;
    for (let number = 0; number < 199; number += 1)
      turns.take(() => {
        begun += 1;
        const end = turns.begin();
        // A caller has gone, or is refused at once.
        if (number % 2 === 0) end();
      });
    await setImmediate();
    expect(begun).toBe(199);
  });

  it("is begun also while none of the requests in progress ends", async () => {
    const workload = createWorkload();
    const turns = createTurns(workload, () => 0);
    for (let number = 0; number < 300; number += 1) turns.take(() => void turns.begin());
    await setImmediate();
    expect(workload.inProgress()).toBe(128);
    for (let turn = 0; turn < 100; turn += 1) await setImmediate();
    expect(workload.inProgress()).toBe(300);
  });
});
