import { expect, it } from "vitest";
import { compareContracts } from "../src/index.ts";
import { ANSWER, answering, short } from "./harness/contracts.ts";
import { number, open, text } from "./harness/schema-changes.ts";

/** An object with a field of its own; without `isConstant`, only the discriminator knows its kind. */
function kind(value: string, isConstant: boolean): object {
  const k = isConstant ? { type: "string", const: value } : text;
  return open({ k, [value]: number }, "k", value);
}

interface Kinds {
  readonly listed: readonly string[];
  /** Whether other kinds are accepted, as in answers. */
  readonly isOpen: boolean;
  readonly isConstant: boolean;
  readonly beside?: object;
}

/** The schema that `byValue` publishes. */
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
  ["lists a further value, which was refused", CATS, false, ALL, false, ["major /oneOf/2", mapped]],
  ["lists a further value, which was accepted", CATS, true, ALL, true, ["minor /oneOf/2", mapped]],
  [
    "no longer lists a value, which is refused",
    CATS,
    false,
    CAT,
    false,
    ["minor /oneOf/1", mapped],
  ],
  [
    "no longer lists a value, which may have other fields",
    CATS,
    true,
    CAT,
    true,
    ["major /oneOf/1", mapped],
  ],
  ["is opened", CATS, false, CATS, true, ["major /oneOf/2"]],
  ["is closed", CATS, true, CATS, false, ["minor /oneOf/2"]],
] as const)("a discriminator of an answer %s", (_, old, wasOpen, listed, isOpen, changes) => {
  for (const isConstant of [true, false]) {
    const before = discriminated({ listed: old, isOpen: wasOpen, isConstant });
    const after = discriminated({ listed, isOpen, isConstant });
    const found = short(compareContracts(answering(before), answering(after)));
    expect(new Set(found.map((line) => line.replace(ANSWER, "")))).toEqual(new Set(changes));
  }
});

it("an open discriminator with an alternative that none of its values selects accepts more", () => {
  const before = { listed: CAT, isOpen: true, isConstant: true };
  const after = { ...before, beside: text };
  const found = short(
    compareContracts(answering(discriminated(before)), answering(discriminated(after))),
  );
  expect(found).toEqual([`major ${ANSWER}/oneOf/1`]);
});
