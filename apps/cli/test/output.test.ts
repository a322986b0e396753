import { describe, expect, it } from "vitest";
import { answerText } from "../src/output/answer-text.ts";
import { maxTableWidth, outputFormOf } from "../src/output/print.ts";
import { safeJson } from "../src/output/safe-text.ts";

const wide = Number.POSITIVE_INFINITY;

describe("an answer as a table", () => {
  it("a printed table aligns the columns of Greek and Latin texts", () => {
    const items = [
      { name: "Ελένη Παπαδοπούλου", code: "GR" },
      { name: "Anna", code: "IT" },
      { name: "Ε\u0301λενα", code: "CY" },
    ];
    expect(answerText({ items }, wide)).toBe(
      [
        "name                code",
        "Ελένη Παπαδοπούλου  GR",
        "Anna                IT",
        "Ε\u0301λενα               CY",
      ].join("\n"),
    );
  });

  it("a printed table has a column for each nested value, and a dash for a missing value", () => {
    const items = [
      { id: 1, premium: null, tags: [], reasons: [], open: { a: {} } },
      {
        id: 2,
        premium: { net: "1.00", gross: "2.00" },
        tags: ["x", "y"],
        reasons: [{ code: "A", why: "b" }, { code: "C" }],
      },
    ];
    expect(answerText({ items, start: 1, total: null }, wide)).toBe(
      [
        "id  tags  reasons                open.a  premium.net  premium.gross",
        "1   -     -                      -       -            -",
        "2   x, y  code A, why b; code C  -       1.00         2.00",
        "",
        "start  1",
        "total  -",
      ].join("\n"),
    );
  });

  it("a printed table that is wider than the terminal shows each item as two columns", () => {
    const items = [
      { first: "aaaaaaaa", second: "bbbbbbbb" },
      { first: "c", second: "d" },
    ];
    expect(answerText({ items }, 18)).toBe("first     second\naaaaaaaa  bbbbbbbb\nc         d");
    expect(answerText({ items }, 17)).toBe(
      "first   aaaaaaaa\nsecond  bbbbbbbb\n\nfirst   c\nsecond  d",
    );
  });

  it("a printed table of a thousand rows has the same columns in every row", () => {
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      id: index,
      name: index === 999 ? "Ελένη Παπαδοπούλου" : "Anna",
      code: "GR",
    }));
    const lines = answerText({ items }, wide).split("\n");
    expect(lines).toEqual([
      "id   name                code",
      ...items.map(({ id, name }) => `${String(id).padEnd(3)}  ${name.padEnd(18)}  GR`),
    ]);
  });

  it("the printed table of an object is followed by tables of the object's lists", () => {
    const quote = {
      age: 41,
      costs: { entry: "10.00", steps: [{ year: 1 }] },
      scenarios: [{ name: "A" }],
    };
    expect(answerText(quote, wide)).toBe(
      "age          41\ncosts.entry  10.00\n\ncosts.steps\nyear\n1\n\nscenarios\nname\nA",
    );
  });

  it.each([
    [[], "Nothing found."],
    [["a", "b"], "value\na\nb"],
    ["text", "answer  text"],
    [null, "answer  -"],
    [{ items: "none" }, "items  none"],
  ])("a printed table can show any JSON value: %j", (answer, text) => {
    expect(answerText(answer, wide)).toBe(text);
  });

  it("a printed table contains no control characters in names and values", () => {
    const evil = "\u001b]0;owned\u0007\u001b[2J\r\n\u009b31m\u202etxt.exe\u2028\ud800";
    const text = answerText(
      { items: [{ [evil]: evil, nested: [evil, { [evil]: evil }] }], [evil]: evil },
      wide,
    );
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\u202e]/u);
    expect(text).toContain(
      "\\u001b]0;owned\\u0007\\u001b[2J\\u000d\\u000a\\u009b31m\\u202etxt.exe",
    );
  });
});

describe("an answer as JSON", () => {
  it("the printed JSON of an answer contains no control characters, and represents the same value", () => {
    const answer = { "\u001b": ["\u009b", "\u202e", "\u007f", "Ελένη", "\ud83d\ude00", "\n"] };
    const text = safeJson(answer);
    expect(JSON.parse(text)).toEqual(answer);
    expect(text).toContain("Ελένη");
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});

describe("the width of a table", () => {
  it.each([
    [{ isTTY: true, columns: 80 }, 80],
    [{ isTTY: true, columns: 0 }, wide],
    [{ columns: 80 }, wide],
  ])(
    "the width of a printed table is limited only on a terminal: %j, width %s",
    (stream, width) => {
      expect(maxTableWidth(stream)).toBe(width);
    },
  );
});

describe("the format of an answer", () => {
  it.each([
    [undefined, true, "table"],
    [undefined, false, "json"],
    ["json", true, "json"],
    ["table", false, "table"],
  ] as const)(
    "an answer is printed as a table on a terminal and as JSON elsewhere, unless --output is given: %s, terminal %s, %s",
    (given, isTerminal, form) => {
      expect(outputFormOf(given, isTerminal)).toBe(form);
    },
  );
});
