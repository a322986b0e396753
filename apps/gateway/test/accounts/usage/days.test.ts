import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDays, daysAfter } from "../../../src/accounts/usage/days.ts";

const HOUR = 3_600_000;

describe("calendar days", () => {
  it.each([
    ["when clocks go forward", "2026-03-29", "2026-03-28T22:00:00Z", 23],
    ["when clocks go back", "2026-10-25", "2026-10-24T21:00:00Z", 25],
    ["in winter", "2026-11-22", "2026-11-21T22:00:00Z", 24],
    ["in summer", "2026-07-01", "2026-06-30T21:00:00Z", 24],
  ])("a calendar day in Athens begins and ends at midnight, %s", (_, day, begin, hours) => {
    const days = createDays("Europe/Athens");
    const from = Date.parse(begin);
    const to = from + hours * HOUR;
    expect(days.dayOf(from - 1)).toBe(daysAfter(day, -1));
    expect(days.endOf(from - 1)).toBe(from);
    for (let at = from; at < to; at += HOUR / 2) {
      expect(days.dayOf(at), new Date(at).toISOString()).toBe(day);
      expect(days.endOf(at)).toBe(to);
    }
    expect(days.dayOf(to - 1)).toBe(day);
    expect(days.dayOf(to)).toBe(daysAfter(day, 1));
  });

  it.each([
    ["Australia/Lord_Howe", "2026-10-03T13:30:00Z", 23.5],
    ["America/New_York", "2026-11-01T04:00:00Z", 25],
    ["UTC", "2026-11-22T00:00:00Z", 24],
  ])(
    "a calendar day in %s has 24 hours unless the clocks of the time zone change on that day",
    (zone, begin, hours) => {
      const days = createDays(zone);
      const from = Date.parse(begin);
      expect(days.endOf(from - 1)).toBe(from);
      expect(days.endOf(from)).toBe(from + hours * HOUR);
    },
  );

  it("the date of a calendar day has a year of four digits", () => {
    expect(createDays("UTC").dayOf(Date.parse("0987-06-05T12:00:00Z"))).toBe("0987-06-05");
  });

  it("the conversion of a time to a calendar day does not depend on earlier conversions", () => {
    const instants = fc.integer({ min: Date.parse("2025-01-01"), max: Date.parse("2035-01-01") });
    const remembering = createDays("Europe/Athens");
    fc.assert(
      fc.property(instants, (at) => {
        const fresh = createDays("Europe/Athens");
        expect(remembering.dayOf(at)).toBe(fresh.dayOf(at));
        expect(remembering.endOf(at)).toBe(fresh.endOf(at));
        expect(fresh.dayOf(fresh.endOf(at))).toBe(daysAfter(fresh.dayOf(at), 1));
      }),
    );
  });
});

describe("the arithmetic of calendar days", () => {
  it("the function daysAfter counts correctly across months, years and leap days", () => {
    expect(daysAfter("2026-12-31", 1)).toBe("2027-01-01");
    expect(daysAfter("2028-02-28", 1)).toBe("2028-02-29");
    expect(daysAfter("2026-03-01", -1)).toBe("2026-02-28");
    expect(daysAfter("2026-11-22", -89)).toBe("2026-08-25");
  });
});
