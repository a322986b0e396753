import { expect, it } from "vitest";
import { compareContracts } from "../src/index.ts";
import { ANSWER, answering, short } from "./harness/contracts.ts";
import { number, open, text } from "./harness/schema-changes.ts";

/**
 * Returns an object schema with the field `k` for the kind, and a field that is named after the kind. If `isConstant`
 * is false, only the discriminator lists the value of `k`.
 */
function kind(value: string, isConstant: boolean): object {
  const k = isConstant ? { type: "string", const: value } : text;
  return open({ k, [value]: number }, "k", value);
}

interface Kinds {
  readonly listed: readonly string[];
  /** True if the schema accepts other kinds, as in answers. */
  readonly isOpen: boolean;
  readonly isConstant: boolean;
  readonly beside?: object;
}

/** The schema that the function `byValue` of core publishes. */
function discriminated({ beside, isConstant, isOpen, listed }: Kinds): object {
  const others = { k: { type: "string", not: { enum: listed } } };
  return {
    oneOf: [
      ...listed.map((value) => kind(value, isConstant)),
      ...(beside === undefined ? [] : [beside]),
      ...(isOpen ? [{ ...open(others, "k"), "x-other": true }] : []),
    ],
    "x-discriminator": {
      propertyName: "k",
      mapping: Object.fromEntries(listed.map((value, index) => [value, index])),
    },
  };
}

const [CAT, CATS, ALL] = [["cat"], ["cat", "dog"], ["cat", "dog", "bird"]] as const;
const mapped = "minor /x-discriminator";

it.each([
  [
    "a further listed value, which was rejected before",
    CATS,
    false,
    ALL,
    false,
    ["major /oneOf/2", mapped],
  ],
  [
    "a further listed value, which was accepted before",
    CATS,
    true,
    ALL,
    true,
    ["minor /oneOf/2", mapped],
  ],
  ["a removed value, which is now rejected", CATS, false, CAT, false, ["minor /oneOf/1", mapped]],
  [
    "a removed value, which is still accepted and may now have other fields",
    CATS,
    true,
    CAT,
    true,
    ["major /oneOf/1", mapped],
  ],
  ["unlisted values that are now accepted", CATS, false, CATS, true, ["major /oneOf/2"]],
  ["unlisted values that are now rejected", CATS, true, CATS, false, ["minor /oneOf/2"]],
] as const)(
  "contract-diff reports the level (major, minor or patch) of a changed discriminator in an answer: %s",
  (_, old, wasOpen, listed, isOpen, changes) => {
    for (const isConstant of [true, false]) {
      const before = discriminated({ listed: old, isOpen: wasOpen, isConstant });
      const after = discriminated({ listed, isOpen, isConstant });
      const found = short(compareContracts(answering(before), answering(after)));
      expect(new Set(found.map((line) => line.replace(ANSWER, "")))).toEqual(new Set(changes));
    }
  },
);

it("contract-diff reports a new alternative of an answer as breaking if the open discriminator lists no value for this alternative", () => {
  const before = { listed: CAT, isOpen: true, isConstant: true };
  const after = { ...before, beside: text };
  const found = short(
    compareContracts(answering(discriminated(before)), answering(discriminated(after))),
  );
  expect(found).toEqual([`major ${ANSWER}/oneOf/1`]);
});
