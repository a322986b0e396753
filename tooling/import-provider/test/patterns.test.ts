import { expect, it } from "vitest";
import { imported, taking } from "./sample.ts";

it.each([
  ["^((a|b)|(a|c))*$", undefined, /far longer than linear time/],
  ["^([0-9A-Z]+ ?){6}$", 12, /far longer than linear time/],
  ["^(\\d+-?){4}$", undefined, /far longer than linear time/],
  ["[A-Z]+$", undefined, /no `maxLength` of at most 256/],
  ["[A-Z]+$", 257, /no `maxLength` of at most 256/],
  ["^(", undefined, /not a regular expression/],
])(
  "the importer reports the reason why the imported package does not check a pattern: %s with maxLength %s",
  (pattern, maxLength, why) => {
    const schema = { type: "string", pattern, ...(maxLength === undefined ? {} : { maxLength }) };
    const { losses } = imported({ "/a": taking(schema) });
    expect(losses).toEqual([
      expect.objectContaining({ severity: "loosened", effect: expect.stringMatching(why) }),
    ]);
  },
);

it.each([
  ["^([A-Z]+-)*[A-Z]+$", undefined],
  ["^[A-Z]{1,3}[0-9]{1,4}$", undefined],
  ["[A-Z]+$", 256],
])(
  "the imported package checks a pattern that takes linear time: %s with maxLength %s",
  (pattern, maxLength) => {
    const schema = { type: "string", pattern, ...(maxLength === undefined ? {} : { maxLength }) };
    expect(imported({ "/a": taking(schema) }).losses).toEqual([]);
  },
);
