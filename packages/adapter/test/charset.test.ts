import { describe, expect, it } from "vitest";
import { charsetWriter } from "../src/index.ts";

describe("the charset of an insurer's requests", () => {
  it("the encoder of a single-byte charset encodes every character of the charset, and refuses every other character", () => {
    const { carries, write } = charsetWriter("iso-8859-7");
    expect(["Άρης €", "", "ж", "a\ufffd"].map(carries)).toEqual([true, true, false, false]);
    expect(write("aΆ")).toEqual(new Uint8Array([0x61, 0xb6]));
    expect(() => write("ж")).toThrow(
      new TypeError("iso-8859-7 does not have every character of the text"),
    );
    expect(charsetWriter("windows-1253").write("Ά€")).toEqual(new Uint8Array([0xa2, 0x80]));
  });

  it("the UTF-8 encoder encodes every character, but refuses half of a surrogate pair", () => {
    const { carries, write } = charsetWriter("utf-8");
    expect(["Ωж🚗", "\ud800"].map(carries)).toEqual([true, false]);
    expect(write("Ωж")).toBe("Ωж");
  });
});
