import { buffer } from "node:stream/consumers";
import type { AdapterAnswer } from "@insurance-gateway/adapter";
import { Refusal } from "@insurance-gateway/core/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import {
  downloadThing,
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

describe("a document", () => {
  const streamed =
    (mediaType = "application/pdf", more: object = {}): Reading =>
    async (response) => ({ type: "document", mediaType, content: response.stream(), ...more });

  /** All of a document, or how it ended. */
  async function contentOf(found: UpstreamAnswer | Refusal): Promise<string> {
    if (found instanceof Refusal) return said(found);
    if (typeof found.content === "string") throw new TypeError("It is no document");
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of found.content) chunks.push(chunk);
    } catch {
      return "broken";
    }
    return Buffer.concat(chunks).toString();
  }

  it.each([
    ["its signature", "%PDF-1.7", "%PDF-1.7"],
    ["no byte after its signature", "%PDF-", "%PDF-"],
    ["half of its signature", "%PD", BAD],
    ["another beginning", "PK-1.7", BAD],
    ["its signature only later", "PK%PDF-1.7", BAD],
  ])("a document with %s has the expected result", async (_, bytes, expected) => {
    expect(await contentOf(await site.ask(downloadThing, streamed(), { content: bytes }))).toBe(
      expected,
    );
  });

  it("a document whose first bytes arrive one by one is checked as a whole", async () => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const letter of "%PDF-1") yield Buffer.from(letter);
    }
    const answer: AdapterAnswer = {
      type: "document",
      mediaType: "application/pdf",
      content: pieces(),
    };
    expect(await contentOf(await site.ask(downloadThing, answer))).toBe("%PDF-1");
  });

  it.each([
    [100, "%PDF-1".padEnd(100)],
    [101, BAD],
    [Number.NaN, BAD],
  ])(
    "a document with a declared length of %d bytes is complete or breaks",
    async (size, expected) => {
      let isReturned = false;
      async function* pieces(): AsyncGenerator<Uint8Array> {
        try {
          yield Buffer.from("%PDF-1".padEnd(100));
        } finally {
          isReturned = true;
        }
      }
      const answer: AdapterAnswer = {
        type: "document",
        mediaType: "application/pdf",
        content: pieces(),
        size,
      };
      site.received.length = 0;
      const found = await site.ask(downloadThing, answer);
      expect(await contentOf(found)).toBe(expected);
      const isBroken = found instanceof Refusal;
      expect(site.received).toEqual([{ bodies: [], value: null, isBroken }]);
      if (isBroken)
        expect(found.details).toMatchObject({
          detail: "The insurer's document has more than 100 bytes.",
          headers: { "proxy-status": "insurance-gateway; received-status=200" },
        });
      else expect(found.headers["content-length"]).toBe(String(size));
      // A document that was never begun has nothing to return.
      expect(isReturned).toBe(expected !== BAD);
    },
  );

  it.each([5, 7])("a document of 6 bytes with a declared length of %d breaks", async (size) => {
    const found = await site.ask(downloadThing, streamed("application/pdf", { size }), {
      content: "%PDF-1",
    });
    if (found instanceof Refusal || typeof found.content === "string")
      throw new TypeError("It is no document");
    await expect(found.content.toArray()).rejects.toMatchObject({
      code: "PROVIDER_BAD_RESPONSE",
      details: { detail: "The insurer's document has another size than stated." },
    });
  });

  it.each([
    ["text/csv", ["text/csv"], "one;two;three;four\nend"],
    ["text/csv", ["application/pdf"], "NOT_ACCEPTABLE rejected answered"],
    ["text/html", null, "PROVIDER_BAD_RESPONSE unknown failed"],
    ["image/png", null, BAD],
  ])(
    "a document of type %s is sent or refused if %j is accepted",
    async (mediaType, accept, expected) => {
      let isReturned = false;
      async function* pieces(): AsyncGenerator<Uint8Array> {
        try {
          // More than what is looked at first.
          yield Buffer.from("one;two;three;four\n");
          yield Buffer.from("end");
        } finally {
          isReturned = true;
        }
      }
      const answer: AdapterAnswer = { type: "document", mediaType, content: pieces() };
      site.received.length = 0;
      const found = await site.ask(downloadThing, answer, accept === null ? {} : { accept });
      expect(await contentOf(found)).toBe(expected);
      expect(isReturned, "given up").toBe(true);
      const isBroken = expected.startsWith("PROVIDER_BAD_RESPONSE");
      expect(site.received).toEqual([{ bodies: [], value: null, isBroken }]);
      if (found instanceof Refusal) return;
      expect(found.headers).toEqual({
        "cache-control": "private",
        "content-type": "text/csv",
        "content-disposition": 'attachment; filename="document.csv"',
        vary: "accept",
      });
    },
  );

  it.each(["<html>", "<HTML lang=el>", "  <!DOCTYPE html>"])(
    "the page %s is not a document",
    async (page) => {
      const found = await site.ask(downloadThing, streamed("text/csv"), { content: page });
      expect(said(found)).toBe("PROVIDER_BAD_RESPONSE unknown failed");
      for (const content of ["<htmlish>", "page;<html>"])
        expect(
          await contentOf(await site.ask(downloadThing, streamed("text/csv"), { content })),
        ).toBe(content);
    },
  );

  it("a document that its reader cancels is cancelled at the insurer", async () => {
    const returned = Promise.withResolvers<string>();
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from("%PDF-1");
      } finally {
        returned.resolve("given up");
      }
    }
    const found = await site.ask(downloadThing, {
      type: "document",
      mediaType: "application/pdf",
      content: pieces(),
    });
    if (found instanceof Refusal || typeof found.content === "string")
      throw new TypeError("It is no document");
    for await (const chunk of found.content) {
      expect(chunk.toString()).toBe("%PDF-1");
      break;
    }
    expect(await returned.promise).toBe("given up");
  });

  it("has the ETag of the adapter rather than of the insurer", async () => {
    const tagOf = async (reading: Reading): Promise<unknown> => {
      const found = await site.ask(downloadThing, reading, {
        content: "%PDF-",
        headers: { etag: '"one"' },
      });
      await contentOf(found);
      return found instanceof Refusal ? said(found) : found.headers.etag;
    };
    const [theirs, own] = [
      await tagOf(streamed()),
      await tagOf(streamed(undefined, { headers: { etag: '"two"' } })),
    ];
    expect([theirs, own]).toEqual([expect.stringMatching(/^"/), expect.stringMatching(/^"/)]);
    expect(theirs).not.toBe(own);
  });

  const CUT_OFF = "broken";
  const WITHIN = 1_024 - "%%EOF".length;
  it.each<[string, string, readonly string[], expected?: string]>([
    ["a PDF with its end in two pieces", "application/pdf", ["%PDF-1", "%%E", "OF\n"]],
    [
      "a PDF with its end where readers look",
      "application/pdf",
      ["%PDF-%%EOF", " ".repeat(WITHIN)],
    ],
    ["one in a later piece", "application/pdf", ["%PDF-1%%EOF", "1".repeat(2_000), "%%EOF"]],
    ["one before", "application/pdf", ["%PDF-%%EOF", " ".repeat(WITHIN), " "], CUT_OFF],
    [
      "a revised PDF without its last end",
      "application/pdf",
      ["%PDF-%%EOF", "1".repeat(2_000)],
      CUT_OFF,
    ],
    ["a PDF without its last letter", "application/pdf", ["%PDF-1", "%%EO"], CUT_OFF],
    ["a PDF that ends with its signature", "application/pdf", ["%PDF-"], CUT_OFF],
    ["a file of another type", "text/csv", ["one;two;three", ";four"]],
  ])(
    "a document without a length is complete with the end of its type: %s",
    async (_, mediaType, pieces, expected) => {
      const asked = { content: "%PDF-", isUnframed: true };
      const reading: Reading = async (response) => {
        async function* content(): AsyncGenerator<Uint8Array> {
          await buffer(response.stream());
          for (const piece of pieces) yield Buffer.from(piece);
        }
        return { type: "document", mediaType, content: content() };
      };
      expect(await contentOf(await site.ask(downloadThing, reading, asked))).toBe(
        expected ?? pieces.join(""),
      );
    },
  );

  it("a document that the adapter has read completely needs no end mark of its type", async () => {
    const reading: Reading = async (response) => {
      const bytes = await response.bytes();
      async function* content(): AsyncGenerator<Uint8Array> {
        yield bytes;
      }
      return { type: "document", mediaType: "application/pdf", content: content() };
    };
    const asked = { content: "%PDF-1.7", isUnframed: true };
    expect(await contentOf(await site.ask(downloadThing, reading, asked))).toBe("%PDF-1.7");
  });

  it("leaves no exchange under way, however it ends", async () => {
    await expect.poll(() => site.underWay()).toBe(0);
  });
});

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
    ["in UTF-8 when nothing names another charset", undefined, undefined, "α"],
    ["in the charset that its header names", "iso-8859-7", undefined, "Ξ±"],
    ["in its header's charset rather than its own word", "iso-8859-7", "utf-8", "Ξ±"],
    ["in the charset that it names itself", undefined, "iso-8859-7", "Ξ±"],
  ])("is read %s", async (_, charset, inText, expected) => {
    const type = `application/json${charset === undefined ? "" : `; Charset="${charset}"`}`;
    const found = await site.ask(listThings, textOf("message", inText), {
      headers: { "content-type": type },
      content: greek(0x3b1),
    });
    expect(found instanceof Refusal ? said(found) : found.content).toBe(
      JSON.stringify({ content: expected }),
    );
  });

  it.each([
    ["message", limits.jsonBytes],
    // A document in base64, and the message around it.
    ["document", 1.4 * limits.documentBytes + limits.jsonBytes],
  ] as const)("as a %s may have %i bytes", async (limit, most) => {
    for (const [length, expected] of [
      [most, "200"],
      [most + 1, BAD],
    ] as const) {
      const found = await site.ask(listThings, textOf(limit), { content: "x".repeat(length) });
      expect(said(found)).toBe(expected);
    }
  });

  it("has its media type in lower case, without parameters", async () => {
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
