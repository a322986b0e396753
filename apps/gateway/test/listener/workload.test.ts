import { beforeEach, describe, expect, it } from "vitest";
import { createWorkload, type Workload } from "../../src/listener/workload.ts";

let workload: Workload;
let now: number;
/** Ends the requests in progress, the oldest first. */
let ends: (() => void)[];

beforeEach(() => {
  workload = createWorkload();
  now = 0;
  ends = [];
});

function begin(count: number): void {
  for (let number = 0; number < count; number += 1) ends.push(workload.begin());
}

function end(count: number): void {
  for (const one of ends.splice(0, count)) one();
}

/** Begins as many as the turn may while so many wait; returns how many these are. */
function takeTurn(waiting = 1_000): number {
  const count = Math.min(workload.beginTurn(waiting, now) - workload.inProgress(), waiting);
  begin(count);
  return count;
}

/** Has so many requests in progress, after one that has just ended. */
function haveInProgress(count: number): void {
  begin(count + 1);
  end(1);
}

describe("a turn", () => {
  it("knows how many requests are in progress, also when one is ended twice", () => {
    begin(3);
    const [first] = ends;
    first?.();
    first?.();
    expect(workload.inProgress()).toBe(2);
  });

  it("begins requests until 128 are in progress", () => {
    begin(50);
    expect(takeTurn()).toBe(78);
  });

  it.each([
    [96, 1_000, 32],
    [97, 1_000, 0],
    [97, 31, 31],
    [127, 1, 1],
    [127, 2, 0],
    [128, 1, 0],
  ])(
    "with %i in progress and %i waiting, after one has ended, begins %i",
    (count, waiting, expected) => {
      haveInProgress(count);
      expect(takeTurn(waiting)).toBe(expected);
    },
  );

  it("begins five beyond the limit each time that none has ended", () => {
    expect([takeTurn(), takeTurn(), takeTurn()]).toEqual([128, 5, 5]);
    end(1);
    expect([takeTurn(), takeTurn()]).toEqual([0, 5]);
    expect(workload.inProgress()).toBe(142);
  });

  it("begins as many as there is room for when turns have begun none for 2 ms", () => {
    haveInProgress(110);
    const begun: number[] = [];
    for (; now < 6; now += 1) {
      begun.push(takeTurn());
      end(1);
    }
    expect(begun).toEqual([0, 0, 20, 0, 0, 3]);
  });
});

describe("the limit", () => {
  /** Raises the limit to 288, and ends all requests. */
  function raise(): void {
    takeTurn();
    for (let turn = 0; turn < 32; turn += 1) takeTurn();
    expect(workload.inProgress()).toBe(288);
    end(288);
  }

  it("falls by a sixteenth of what it is above 128, and never below", () => {
    raise();
    const limits: number[] = [];
    for (let turn = 0; turn < 50; turn += 1) limits.push(workload.beginTurn(1, now));
    expect(limits.slice(0, 4)).toEqual([288, 278, 268, 259]);
    expect(limits.slice(-2)).toEqual([128, 128]);
  });

  it("stays while there is room for fewer than 64, so that slow calls leave room", () => {
    raise();
    begin(225);
    expect([workload.beginTurn(1, now), workload.beginTurn(1, now)]).toEqual([288, 288]);
    end(1);
    expect([workload.beginTurn(1, now), workload.beginTurn(1, now)]).toEqual([288, 278]);
  });
});
