import { beforeEach, describe, expect, it } from "vitest";
import { type ClockWatch, watchClock } from "../../src/submissions/clock-watch.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let now: number;
let elapsed: number;
let clock: ClockWatch;
beforeEach(() => {
  [now, elapsed] = [Date.UTC(2026, 10, 24), 5_000];
  clock = watchClock({ now: () => now, elapsed: () => elapsed }, 3 * DAY);
});

function pass(milliseconds: number): void {
  now += milliseconds;
  elapsed += milliseconds;
  clock.look();
}

function move(milliseconds: number): void {
  now += milliseconds;
  clock.look();
}

describe("the clock of a process", () => {
  it("was not moved while it goes with the time", () => {
    const start = now;
    for (let hour = 0; hour < 100; hour += 1) pass(60 * MINUTE);
    expect(clock.movedForwardSince(start)).toBe(0);
  });

  it("was moved forward for what was before, and not for what is after", () => {
    const before = now;
    pass(MINUTE);
    move(DAY);
    const after = now;
    pass(MINUTE);
    expect(clock.movedForwardSince(before)).toBe(DAY);
    expect(clock.movedForwardSince(after)).toBe(0);
  });

  it("was moved forward, also when it was moved back before: an instant may be after that", () => {
    move(-60 * MINUTE);
    pass(10 * MINUTE);
    const between = now;
    pass(5 * MINUTE);
    move(60 * MINUTE);
    expect(clock.movedForwardSince(between)).toBe(60 * MINUTE);
  });

  it("was moved forward, also when it was moved back afterwards", () => {
    const before = now;
    move(DAY);
    pass(MINUTE);
    move(-DAY);
    expect(clock.movedForwardSince(before)).toBe(DAY);
  });

  it("is believed again after the longest time that is measured with it", () => {
    const before = now;
    move(100 * DAY);
    pass(3 * DAY - 1);
    expect(clock.movedForwardSince(before)).toBe(100 * DAY);
    pass(1);
    expect(clock.movedForwardSince(before)).toBe(0);
  });

  it("was moved within the time after which it was moved, and not within a shorter one", () => {
    move(DAY);
    pass(60 * MINUTE);
    move(2 * DAY);
    pass(60 * MINUTE);
    const within = [60, 61, 120, 121].map((minutes) => clock.movedForwardWithin(minutes * MINUTE));
    expect(within).toEqual([0, 2 * DAY, 2 * DAY, 3 * DAY]);
  });

  it("was moved within a time, also if nobody has looked since", () => {
    now += DAY;
    expect(clock.movedForwardWithin(MINUTE)).toBe(DAY);
  });

  it("notices a movement when it is asked, also without a look", () => {
    const before = now;
    now += DAY;
    expect(clock.movedForwardSince(before)).toBe(DAY);
  });

  it("was moved by whole milliseconds, whatever the fraction of the measured time: PostgreSQL takes no other instants", () => {
    const before = now;
    elapsed += 0.25;
    move(DAY);
    elapsed += 0.5;
    move(DAY);
    expect(clock.movedForwardSince(before)).toBe(2 * DAY);
    expect(clock.movedForwardWithin(MINUTE)).toBe(2 * DAY);
  });

  it("may be corrected a little at a time", () => {
    const before = now;
    for (let times = 0; times < 100; times += 1) move(20_000);
    expect(clock.movedForwardSince(before)).toBe(0);
  });
});
