import { describe, expect, it } from "vitest";
import { isFastPattern, type PatternCost, patternCost } from "../../src/patterns/index.ts";

const patterns: Readonly<Record<PatternCost, readonly string[]>> = {
  linear: [
    "^[A-Z]{2}$",
    "/^[A-Z]{2}$/",
    "^[A-Za-zΑ-Ωα-ω .-]{1,40}$",
    "^\\+?\\d{1,3}[ -]?\\d{1,4}[ -]?\\d{1,4}$",
    "^(?:[01]\\d|2[0-3]):[0-5]\\d$",
    "^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$",
    "^([a-z0-9]+(-[a-z0-9]+)*\\.)+[a-z]{2,}$",
    "^(?!\\s*$).+",
    "^(?=.*\\d)(?=.*[a-z]).{4,8}$",
    "^\\p{L}+$",
    "^(a{2}b*)*$",
    "^-?(0|[1-9]\\d{0,3}(\\.0*)?|[1-9]\\d{0,2}\\.\\d0*)$",
    "^[{(]\\)[*+]$",
    "^\\d+?(\\.\\d{2})?$",
    "^[A-Z]{1,200}[0-9]*$",
    "^[A-Z]{2000}[0-9]*$",
    "^[A-Z]?[0-9]?[a-z]? ?[A-Z]?-?[0-9]?/?[A-Z]?x?$",
  ],
  quadratic: [
    "[A-Z]+$",
    "^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$",
    "^[a-z]{1,60}[a-z]{1,60}$",
    "(\\w+\\s)+x",
  ],
  higher: [
    "^((a|b)|(a|c))*$",
    "^([0-9A-Z]+ ?){6}$",
    "^(\\d+-?){4}$",
    "^(a+)+$",
    "^(a|a)+$",
    "^(a{1,9}){1,9}$",
    "^(a?){50}$",
    "^(a|ab|b){1,40}$",
    "^([A-Z]{2}|[A-Z]{3}){1,30}$",
    "^(\\w{1,20} ?){1,10}$",
    "^\\d+1\\d+2\\d+3$",
    "^(?!(a|a)*$).+",
    "^(a+)\\1+$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
  ],
};

describe("the cost of a regular expression", () => {
  it.each(
    Object.entries(patterns).flatMap(([cost, sources]) =>
      sources.map((source) => [cost, source] as const),
    ),
  )("the computed cost of a regular expression is %s: %s", (cost, source) => {
    expect(patternCost(new RegExp(source, "u"))).toBe(cost);
  });

  it("the computed cost depends on the flags of the regular expression", () => {
    const source = "^([a-z]|[A-Z])*$";
    expect([patternCost(new RegExp(source)), patternCost(new RegExp(source, "i"))]).toEqual([
      "linear",
      "higher",
    ]);
  });

  it("a regular expression with quadratic cost is allowed only for texts of at most 256 characters", () => {
    const allows = (source: string, maxLength?: number): boolean =>
      isFastPattern(new RegExp(source, "u"), maxLength);
    expect([allows("[A-Z]+$", 256), allows("[A-Z]+$", 257), allows("[A-Z]+$")]).toEqual([
      true,
      false,
      false,
    ]);
    expect([allows("^[A-Z]+$"), allows("^(a|a)+$", 10)]).toEqual([true, false]);
  });
});
