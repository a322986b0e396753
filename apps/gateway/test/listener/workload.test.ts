import { beforeEach, describe, expect, it } from "vitest";
import { createWorkload, type Workload } from "../../src/listener/workload.ts";

let workload: Workload;
/** Ends the requests in progress, the newest last. */
let ends: (() => void)[];

beforeEach(() => {
  workload = createWorkload();
  ends = [];
});

function begin(count: number): void {
  for (let number = 0; number < count; number += 1) ends.push(workload.begin());
}

function end(count: number): void {
  for (const one of ends.splice(0, count)) one();
}

/** Begins a turn; returns how many requests it may begin, and begins them. */
function takeTurn(): number {
  const count = workload.beginTurn() - workload.inProgress();
  begin(count);
  return count;
}

/** Has so many requests in progress, of which one has just ended. */
function haveInProgress(count: number): void {
  begin(count + 1);
  end(1);
}

describe("the requests in progress", () => {
  it("are those that were begun and have not ended, however often one ends", () => {
    begin(3);
    const [first] = ends;
    first?.();
    first?.();
    expect(workload.inProgress()).toBe(2);
  });

  it("are 128 after a turn in which none ended before", () => {
    begin(50);
    expect(takeTurn()).toBe(78);
  });

  it.each([
    [96, 32],
    [97, 0],
    [128, 0],
  ])("are %i: a turn after one has ended begins %i", (count, expected) => {
    haveInProgress(count);
    expect(takeTurn()).toBe(expected);
  });

  it("become more in each turn before which none has ended", () => {
    expect([takeTurn(), takeTurn(), takeTurn()]).toEqual([128, 5, 5]);
    end(1);
    expect([takeTurn(), takeTurn()]).toEqual([0, 5]);
    expect(workload.inProgress()).toBe(142);
  });

  it("become fewer by one with each turn that begins several", () => {
    for (let turn = 0; turn < 4; turn += 1) takeTurn();
    const most: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      end(40);
      takeTurn();
      most.push(workload.inProgress());
    }
    expect(most.slice(0, 3)).toEqual([143, 142, 141]);
    expect(most.slice(-4)).toEqual([128, 128, 128, 128]);
  });

  it("are as many as there is room for after eight turns that began none", () => {
    haveInProgress(110);
    const begun: number[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      begun.push(takeTurn());
      end(1);
    }
    expect(begun).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 26, 0]);
  });
});
