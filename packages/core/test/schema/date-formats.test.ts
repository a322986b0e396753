import { describe, expect, it } from "vitest";
import { check } from "../../src/contract/index.ts";
import { string, zodSchema } from "../../src/schema/index.ts";

const date = zodSchema(string({ format: "date" }));
const dateTime = zodSchema(string({ format: "date-time" }));

/** Returns the last day of each month of a year. */
const lastDays = (year: string, february: number): readonly string[] =>
  [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].map(
    (day, index) => `${year}-${String(index + 1).padStart(2, "0")}-${day}`,
  );

describe("date and time formats", () => {
  it.each([
    ["2026", 28],
    ["2024", 29],
    ["1900", 28],
    ["2000", 29],
    ["0000", 29],
  ])(
    "the date format accepts the first to the last day of each month of the year %s, and no other day",
    (year, february) => {
      const days = lastDays(year, february);
      const isDate = (text: string): boolean => check(date, text).valid;
      expect(days.filter((day) => !isDate(day))).toEqual([]);
      const later = days.map((day) => `${day.slice(0, 8)}${Number(day.slice(8)) + 1}`);
      expect(later.filter(isDate)).toEqual([]);
      const first = days.map((day) => day.slice(0, 8));
      expect(first.filter((month) => !isDate(`${month}01`) || isDate(`${month}00`))).toEqual([]);
    },
  );

  it("the date-time format accepts only instants whose time, offset and leap second exist", () => {
    const instants = [
      "2026-11-21T00:00:00Z",
      "2026-11-21T23:59:59Z",
      "2026-11-21T23:59:59+23:59",
      "2026-11-21T23:59:60Z",
      "2026-11-22T00:00:60+00:01",
      "2026-11-21T23:58:60-00:01",
      "2026-11-21T00:29:60-23:30",
      "2026-11-21T15:59:60-08:00",
      "2026-11-21t10:00:00.123456789+05:30",
      "2026-11-21T23:29:60+23:30",
    ];
    const others = [
      "2026-11-21T08:00:00",
      "2026-11-21 08:00:00Z",
      "2026-11-21T08:00:60Z",
      "2026-11-21T24:00:00Z",
      "2026-11-21T23:60:00Z",
      "2026-11-21T23:59:61Z",
      "2026-11-21T22:59:60Z",
      "2026-11-21T00:00:00+24:00",
      "2026-11-21T00:00:00+23:60",
      "2026-11-21T23:59:60-00:01",
      "2026-11-21T00:00:00.Z",
      "2026-11-31T00:00:00Z",
    ];
    const isInstant = (text: string): boolean => check(dateTime, text).valid;
    expect(instants.filter((text) => !isInstant(text))).toEqual([]);
    expect(others.filter(isInstant)).toEqual([]);
  });
});
