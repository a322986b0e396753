import { describe, expect, it } from "vitest";
import { ageOn, dayInGreece } from "../src/sandbox/age.ts";

describe("dates in Greece", () => {
  it.each([
    ["2026-11-21T08:00:00Z", "2026-11-21"],
    ["2026-11-21T22:30:00Z", "2026-11-22"],
    ["2026-07-01T20:59:59Z", "2026-07-01"],
    ["2026-07-01T21:00:00Z", "2026-07-02"],
  ])(
    "the sandbox computes the date in Greece at an instant: instant %s, date %s",
    (instant, day) => {
      expect(dayInGreece(new Date(instant))).toBe(day);
    },
  );
});

describe("ages", () => {
  it.each([
    ["1985-11-21", "2026-11-20", 40],
    ["1985-11-21", "2026-11-21", 41],
    ["2000-02-29", "2026-02-28", 25],
    ["2000-02-29", "2026-03-01", 26],
    ["2026-11-22", "2026-11-21", 0],
    ["2090-01-01", "2026-11-21", 0],
  ])(
    "the sandbox computes a person's age on a day: born on %s, day %s, age %i",
    (born, day, age) => {
      expect(ageOn(born, day)).toBe(age);
    },
  );
});
