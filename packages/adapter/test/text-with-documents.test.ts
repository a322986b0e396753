import { describe, expect, it } from "vitest";
import { textWithDocuments } from "../src/index.ts";

const decode = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(bytes);

/** Returns bytes whose base64 has no repeated lines. */
function documentOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) % 256));
}

const LONG = 60_000;
const nothing = Buffer.alloc(0);
const long = documentOf(LONG).toString("base64");

/** Breaks a base64 text into lines of 76 characters, as MIME does. */
function inLines(text: string): string {
  return text.replaceAll(/.{76}/g, "$&\r\n");
}

describe("a message with documents", () => {
  it.each([
    ["between tags", (text: string) => `<a>Ω<b>${text}</b></a>`],
    ["in lines", (text: string) => `<b>\n ${inLines(text)}\n</b>`],
    ["in a CDATA section", (text: string) => `<b><![CDATA[${text}]]></b>`],
    ["between quotation marks", (text: string) => `{"b":"${text}","c":"Ω"}`],
  ])("a base64 document in a message is decoded and replaced by a name: %s", (_, written) => {
    for (const length of [LONG, LONG + 1, LONG + 2, 200_000]) {
      const bytes = documentOf(length);
      const message = textWithDocuments(Buffer.from(written(bytes.toString("base64"))), decode);
      const [name = ""] = /document-[\w-]+/.exec(message.text) ?? [];
      expect(message.text.replaceAll(/\s/g, "")).toBe(written(name).replaceAll(/\s/g, ""));
      expect(bytes.equals(message.documentOf(name) ?? nothing)).toBe(true);
    }
  });

  it("each of several documents in a message has a separate name", () => {
    const [one, other] = [documentOf(LONG), documentOf(100_000)];
    const text = [one, other].map((bytes) => `"${bytes.toString("base64")}"`).join(",");
    const message = textWithDocuments(Buffer.from(`[${text}]`), decode);
    const found = (JSON.parse(message.text) as string[]).map((name) => message.documentOf(name));
    expect(found.map((bytes) => bytes?.byteLength)).toEqual([LONG, 100_000]);
    expect([one, other].map((bytes, at) => bytes.equals(found[at] ?? nothing))).toEqual([
      true,
      true,
    ]);
  });

  it.each([
    ["a base64 text that is too short", `<b>${long.slice(0, 1_000)}</b>`],
    ["base64 without the end tag", `<b>${long.slice(0, -1)}`],
    ["incomplete base64", `<b>${long.slice(0, -1)}</b>`],
    ["padding in the middle of the base64", `<b>AA==${long}</b>`],
    ["characters of another base64 alphabet", `<b>${long}-__-</b>`],
    ["an XML reference before the base64", `<b>&#10;${long}</b>`],
    ["a JSON escape in the base64", `{"b":"${long}\\/AAA"}`],
    ["line breaks in a JSON string", `{"b":"${inLines(long)}"}`],
    ["a very long number", `{"b":[${"1".repeat(80_000)}]}`],
  ])("the decoder of base64 documents leaves a message with %s unchanged", (_, text) => {
    expect(textWithDocuments(Buffer.from(text), decode).text).toBe(text);
  });

  it.each([0, 1, 32_767, 32_768, 65_535, 65_536, 100_003])(
    "a base64 document is decoded correctly at any position in a message: %i characters before the document",
    (before) => {
      for (const length of [0, 49_148, 49_152, 49_153, 73_728]) {
        const bytes = documentOf(length);
        const text = JSON.stringify([" ".repeat(before), bytes.toString("base64"), "Ω"]);
        const message = textWithDocuments(Buffer.from(text), decode);
        const [first = "", name = "", last] = JSON.parse(message.text) as string[];
        expect([first.length, last]).toEqual([before, "Ω"]);
        const found = name === "" ? nothing : message.documentOf(name);
        expect(found).not.toBeNull();
        expect(bytes.equals(found ?? nothing)).toBe(true);
      }
    },
  );
});
