import { describe, expect, it } from "vitest";
import { textWithDocuments } from "../src/index.ts";

const decode = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(bytes);

/** Bytes without the pattern of a base64 line. */
function documentOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) % 256));
}

const LONG = 60_000;
const nothing = Buffer.alloc(0);
const long = documentOf(LONG).toString("base64");

/** A text in base64 in lines, as MIME writes it. */
function inLines(text: string): string {
  return text.replaceAll(/.{76}/g, "$&\r\n");
}

describe("a message", () => {
  it.each([
    ["between tags", (text: string) => `<a>Ω<b>${text}</b></a>`],
    ["in lines", (text: string) => `<b>\n ${inLines(text)}\n</b>`],
    ["in a CDATA section", (text: string) => `<b><![CDATA[${text}]]></b>`],
    ["between quotation marks", (text: string) => `{"b":"${text}","c":"Ω"}`],
  ])("a document %s in a message is replaced by its name", (_, written) => {
    for (const length of [LONG, LONG + 1, LONG + 2, 200_000]) {
      const bytes = documentOf(length);
      const message = textWithDocuments(Buffer.from(written(bytes.toString("base64"))), decode);
      const [name = ""] = /document-[\w-]+/.exec(message.text) ?? [];
      expect(message.text.replaceAll(/\s/g, "")).toBe(written(name).replaceAll(/\s/g, ""));
      expect(bytes.equals(message.documentOf(name) ?? nothing)).toBe(true);
    }
  });

  it("has a name for each of several documents", () => {
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
    ["a shorter text", `<b>${long.slice(0, 1_000)}</b>`],
    ["a text that is cut off", `<b>${long.slice(0, -1)}`],
    ["base64 that is not whole", `<b>${long.slice(0, -1)}</b>`],
    ["padding in the middle", `<b>AA==${long}</b>`],
    ["another alphabet", `<b>${long}-__-</b>`],
    ["a reference", `<b>&#10;${long}</b>`],
    ["an escape", `{"b":"${long}\\/AAA"}`],
    ["lines in JSON, which it does not have", `{"b":"${inLines(long)}"}`],
    ["a number", `{"b":[${"1".repeat(80_000)}]}`],
  ])("a message with %s stays as it is", (_, text) => {
    expect(textWithDocuments(Buffer.from(text), decode).text).toBe(text);
  });

  it.each([0, 1, 32_767, 32_768, 65_535, 65_536, 100_003])(
    "says the same with its documents as without, behind %i characters",
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
