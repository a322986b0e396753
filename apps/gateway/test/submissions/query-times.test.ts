import {
  absentFrom,
  FIRST_QUERY_AFTER_MS,
  nextQueryAt,
  secondQueryAt,
} from "@insurance-gateway/core/runtime";
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

it.each([
  { received: 0, absent: 4 * MINUTE, from: 10 * MINUTE, planned: 12 * MINUTE },
  { received: 0, absent: 6 * MINUTE, from: 11 * MINUTE, planned: 12 * MINUTE },
  { received: 0, absent: 8 * MINUTE, from: 13 * MINUTE, planned: 13 * MINUTE },
])(
  "a second query proves a submission's absence only ten minutes after the request and five minutes after the first query: a first query after $absent ms",
  ({ absent, from, planned, received }) => {
    expect(absentFrom({ absent, received })).toBe(from);
    expect(secondQueryAt({ absent, received, unknown: 0 })).toBe(planned);
  },
);
