import { describe, expect, it } from "vitest";
import { valueAt } from "../../src/contract/index.ts";
import { isPointer, pointerNames, withValueAt } from "../../src/runtime.ts";

const document = {
  holder: { afm: "123456789", phones: ["210", "697"] },
  "a/b": { "m~n": 1, "~1": 2 },
  nothing: null,
  // Only JSON.parse creates an object with a field of this name.
  own: JSON.parse('{"__proto__": {"name": "its own"}}'),
};

describe("JSON Pointers", () => {
  it.each([
    ["/holder/afm", "123456789"],
    ["/holder/phones/1", "697"],
    ["/a~1b/m~0n", 1],
    ["/a~1b/~01", 2],
    ["/nothing", null],
    ["/holder/missing", undefined],
    ["/holder/afm/length", undefined],
    ["/holder/phones/length", undefined],
    ["/nothing/more", undefined],
    ["/constructor", undefined],
    ["/holder/__proto__", undefined],
    ["/own/__proto__/name", "its own"],
    ["/holder/phones/2", undefined],
    ["/holder/phones/-", undefined],
  ])("the JSON Pointer %s leads to the value %j", (pointer, value) => {
    expect(valueAt(document, pointer)).toBe(value);
  });

  it("a JSON Pointer is split into its unescaped names", () => {
    expect(pointerNames("/a~1b/m~0n/~01//")).toEqual(["a/b", "m~n", "~1", "", ""]);
    expect(pointerNames("")).toEqual([]);
  });

  it.each([
    ["", { a: 1 }, 2, 2],
    ["/a", { a: 1, b: 2 }, 3, { a: 3, b: 2 }],
    ["/a/b~1c", { d: 1 }, 2, { a: { "b/c": 2 }, d: 1 }],
    ["/a/b", { a: 1 }, 2, { a: { b: 2 } }],
    ["/a", undefined, null, { a: null }],
    ["/a", { a: 1, b: 2 }, undefined, { b: 2 }],
    ["/a/b", { a: { b: 1, c: 2 } }, undefined, { a: { c: 2 } }],
    ["/a/b", { c: 1 }, undefined, { c: 1 }],
    ["/a/b", { a: 1, c: null }, undefined, { a: 1, c: null }],
    ["/a/b", { a: null }, undefined, { a: null }],
    ["/a", undefined, undefined, undefined],
    ["/constructor/x", {}, undefined, {}],
    ["/__proto__/x", { a: 1 }, undefined, { a: 1 }],
    ["/a/x", { a: [1] }, undefined, { a: [1] }],
    ["/constructor", { a: 1 }, 2, { a: 1, constructor: 2 }],
  ])(
    "a value is set or removed at a JSON Pointer in a copy of a document: pointer %s, document %j, value %j, result %j",
    (pointer, value, placed, expected) => {
      const before = structuredClone(value);
      expect(withValueAt(value, pointer, placed)).toStrictEqual(expected);
      expect(value).toStrictEqual(before);
    },
  );

  it.each(["/a", "/a/b", "/a~0b/~1"])(
    "the text %s is accepted as a JSON Pointer into a document",
    (text) => {
      expect(isPointer(text)).toBe(true);
    },
  );

  it.each(["", "a", "a/b", "/", "/a//b", "/a~", "/a~2"])(
    "the text %j is refused as a JSON Pointer into a document",
    (text) => {
      expect(isPointer(text)).toBe(false);
    },
  );
});
