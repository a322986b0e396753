import { Refusal } from "@insurance-gateway/core/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  limits,
  listThings,
  type ReadInsurer,
  type Reading,
  said,
  startReadInsurer,
  value,
} from "./read-insurer.ts";

let site: ReadInsurer;
beforeAll(async () => {
  site = await startReadInsurer();
});
afterAll(() => site.close());

const BAD = "PROVIDER_BAD_RESPONSE unknown unusable";

describe("the text of an answer", () => {
  const textOf =
    (limit: "document" | "message", inText?: string): Reading =>
    async (response) => {
      const charsetIn = inText === undefined ? undefined : () => inText;
      const content =
        limit === "document"
          ? (await response.textWithDocuments(charsetIn)).text
          : await response.text(charsetIn);
      return value(200, { content });
    };
  const greek = (code: number): string => String.fromCodePoint(code);
  it.each([
    ["UTF-8 by default", undefined, undefined, "α"],
    ["the charset of the header", "iso-8859-7", undefined, "Ξ±"],
    [
      "the charset of the header, although the text names another charset",
      "iso-8859-7",
      "utf-8",
      "Ξ±",
    ],
    ["the charset that the text names", undefined, "iso-8859-7", "Ξ±"],
  ])(
    "the adapter reads the text of an answer in the charset that the header or the text names: %s",
    async (_, charset, inText, expected) => {
      const type = `application/json${charset === undefined ? "" : `; Charset="${charset}"`}`;
      const found = await site.ask(listThings, textOf("message", inText), {
        headers: { "content-type": type },
        content: greek(0x3b1),
      });
      expect(found instanceof Refusal ? said(found) : found.content).toBe(
        JSON.stringify({ content: expected }),
      );
    },
  );

  it.each([
    ["message", limits.jsonBytes],
    // Base64 makes a document a third longer, and the message has text around the document.
    ["document", 1.4 * limits.documentBytes + limits.jsonBytes],
  ] as const)(
    "the adapter can read the text of an answer up to its maximum length: %s of %i bytes",
    async (limit, most) => {
      for (const [length, expected] of [
        [most, "200"],
        [most + 1, BAD],
      ] as const) {
        const found = await site.ask(listThings, textOf(limit), { content: "x".repeat(length) });
        expect(said(found)).toBe(expected);
      }
    },
  );

  it("the adapter receives the media type of an answer in lower case, without parameters", async () => {
    const types: string[] = [];
    const read: Reading = async ({ mediaType }) => {
      types.push(mediaType);
      return value(200, {});
    };
    for (const type of ["Application/JSON ; a=b", "TEXT/XML", ""])
      await site.ask(listThings, read, { headers: { "content-type": type } });
    expect(types).toEqual(["application/json", "text/xml", ""]);
  });
});
