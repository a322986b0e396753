import { describe, expect, it } from "vitest";
import { interleave } from "../src/interleave.ts";
import { medianOf, ratioOf } from "../src/statistics.ts";

describe("the median of benchmark rounds", () => {
  it("the confidence interval of a median is the interval of the sign test: from the 4th to the 12th of 15 values", () => {
    const values = [15, 3, 9, 1, 7, 13, 5, 11, 2, 14, 4, 12, 6, 10, 8];
    expect(medianOf(values)).toEqual({
      median: 8,
      low: 4,
      high: 12,
      confidence: 1 - 1_152 / 32_768,
    });
  });

  it("the median of an even number of values is the mean of the two middle values", () => {
    expect(medianOf([4, 1, 3, 2])).toMatchObject({ median: 2.5, low: 1, high: 4 });
  });

  it("the confidence level of a median is below 95 % if there are only three values or fewer", () => {
    expect(medianOf([2, 1, 3])).toMatchObject({ low: 1, high: 3, confidence: 0.75 });
    expect(medianOf([7])).toMatchObject({ median: 7, low: 7, high: 7, confidence: 0 });
  });

  it("the calculation of a median throws a RangeError for an empty list", () => {
    expect(() => medianOf([])).toThrow(RangeError);
  });

  it("the median ratio of two measured programs compares the values that the programs have in the same round", () => {
    expect(ratioOf([10, 20, 30], [20, 40, 60])).toMatchObject({ median: 0.5, low: 0.5, high: 0.5 });
  });
});

describe("interleaved rounds", () => {
  it("interleaved rounds measure each program once per round, and each round starts with a different program than the last round", async () => {
    const order: string[] = [];
    const found = await interleave(["a", "b", "c"], 2, async (subject, round) => {
      order.push(subject);
      return `${subject}${round}`;
    });
    expect(order).toEqual(["a", "b", "c", "b", "c", "a"]);
    expect([...found]).toEqual([
      ["a", ["a0", "a1"]],
      ["b", ["b0", "b1"]],
      ["c", ["c0", "c1"]],
    ]);
  });
});
