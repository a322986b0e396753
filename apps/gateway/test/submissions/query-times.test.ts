import { FIRST_QUERY_AFTER_MS, nextQueryAt } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("the next query of a submission", () => {
  const times = [
    2 * SECOND,
    32 * SECOND,
    152 * SECOND,
    12 * MINUTE,
    72 * MINUTE,
    7 * HOUR,
    31 * HOUR,
  ];

  it("the next query of a submission is due at the first planned time that has not passed", () => {
    expect(FIRST_QUERY_AFTER_MS).toBe(times[0]);
    for (const [index, time] of times.entries()) {
      expect(nextQueryAt(1_000, 1_000 + time - 1)).toBe(1_000 + time);
      const next = times[index + 1];
      expect(nextQueryAt(1_000, 1_000 + time)).toBe(next === undefined ? null : 1_000 + next);
    }
    expect(nextQueryAt(1_000, 0)).toBe(1_000 + 2 * SECOND);
  });
});
