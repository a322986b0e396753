import { buffer } from "node:stream/consumers";
import type { AdapterAnswer } from "@insurance-gateway/adapter";
import { Refusal } from "@insurance-gateway/core/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import {
  downloadThing,
  type ReadInsurer,
  type Reading,
  said,
  startReadInsurer,
} from "./read-insurer.ts";

let site: ReadInsurer;
beforeAll(async () => {
  site = await startReadInsurer();
});
afterAll(() => site.close());

const BAD = "PROVIDER_BAD_RESPONSE unknown unusable";

describe("a document of an insurer", () => {
  /** Returns an answer whose document consists of the given pieces. */
  const documentOf = (
    content: AsyncIterable<Uint8Array>,
    mediaType = "application/pdf",
    more: { readonly size?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ): AdapterAnswer => ({ type: "document", mediaType, content, ...more });

  const streamed =
    (mediaType = "application/pdf", more: Parameters<typeof documentOf>[2] = {}): Reading =>
    async (response) =>
      documentOf(response.stream(), mediaType, more);

  /** Reads a document to its end; returns its content, or how the transfer failed. */
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
    ["the signature and more", "%PDF-1.7", "%PDF-1.7"],
    ["the signature only", "%PDF-", "%PDF-"],
    ["half of the signature", "%PD", BAD],
    ["another signature", "PK-1.7", BAD],
    ["the signature after other bytes", "PK%PDF-1.7", BAD],
  ])(
    "the gateway accepts a document only if its first bytes are the signature of its type: %s",
    async (_, bytes, expected) => {
      expect(await contentOf(await site.ask(downloadThing, streamed(), { content: bytes }))).toBe(
        expected,
      );
    },
  );

  it("the gateway checks the first bytes of a document even if each byte arrives alone", async () => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const letter of "%PDF-1") yield Buffer.from(letter);
    }
    expect(await contentOf(await site.ask(downloadThing, documentOf(pieces())))).toBe("%PDF-1");
  });

  it.each([
    [100, "%PDF-1".padEnd(100)],
    [101, BAD],
    [Number.NaN, BAD],
  ])(
    "the gateway refuses a document whose stated length is not a number up to the maximum of 100 bytes: %d",
    async (size, expected) => {
      let isReturned = false;
      async function* pieces(): AsyncGenerator<Uint8Array> {
        try {
          yield Buffer.from("%PDF-1".padEnd(100));
        } finally {
          isReturned = true;
        }
      }
      const answer = documentOf(pieces(), undefined, { size });
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
      // A generator that was never started does not run its `finally`, so that `isReturned` stays false.
      expect(isReturned).toBe(expected !== BAD);
    },
  );

  it.each([5, 7])(
    "the transfer of a document of 6 bytes fails if the stated length is different: %d",
    async (size) => {
      const found = await site.ask(downloadThing, streamed("application/pdf", { size }), {
        content: "%PDF-1",
      });
      if (found instanceof Refusal || typeof found.content === "string")
        throw new TypeError("It is no document");
      await expect(found.content.toArray()).rejects.toMatchObject({
        code: "PROVIDER_BAD_RESPONSE",
        details: { detail: "The insurer's document does not have its stated size." },
      });
    },
  );

  it.each([
    ["text/csv", ["text/csv"], "one;two;three;four\nend"],
    ["text/csv", ["application/pdf"], "NOT_ACCEPTABLE rejected answered"],
    ["text/html", null, "PROVIDER_BAD_RESPONSE unknown failed"],
    ["image/png", null, BAD],
  ])(
    "the gateway sends a document only if its type is declared and the caller accepts that type: type %s, accepted %j",
    async (mediaType, accept, expected) => {
      let isReturned = false;
      async function* pieces(): AsyncGenerator<Uint8Array> {
        try {
          // These bytes are more than the gateway checks at the beginning of a document.
          yield Buffer.from("one;two;three;four\n");
          yield Buffer.from("end");
        } finally {
          isReturned = true;
        }
      }
      const answer = documentOf(pieces(), mediaType);
      site.received.length = 0;
      const found = await site.ask(downloadThing, answer, accept === null ? {} : { accept });
      expect(await contentOf(found)).toBe(expected);
      expect(isReturned, "the content is closed").toBe(true);
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
    "the gateway refuses an HTML page in place of a document: %s",
    async (page) => {
      const found = await site.ask(downloadThing, streamed("text/csv"), { content: page });
      expect(said(found)).toBe("PROVIDER_BAD_RESPONSE unknown failed");
      for (const content of ["<htmlish>", "page;<html>"])
        expect(
          await contentOf(await site.ask(downloadThing, streamed("text/csv"), { content })),
        ).toBe(content);
    },
  );

  it("the gateway reads no more of a document from the insurer after the document's reader has cancelled the transfer", async () => {
    const returned = Promise.withResolvers<string>();
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from("%PDF-1");
      } finally {
        returned.resolve("given up");
      }
    }
    const found = await site.ask(downloadThing, documentOf(pieces()));
    if (found instanceof Refusal || typeof found.content === "string")
      throw new TypeError("It is no document");
    for await (const chunk of found.content) {
      expect(chunk.toString()).toBe("%PDF-1");
      break;
    }
    expect(await returned.promise).toBe("given up");
  });

  it("the ETag of a document is a digest of the adapter's ETag, or of the insurer's ETag if the adapter sets no ETag", async () => {
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
    ["a PDF with its end mark in two pieces", "application/pdf", ["%PDF-1", "%%E", "OF\n"]],
    [
      "a PDF with its end mark in the last 1,024 bytes",
      "application/pdf",
      ["%PDF-%%EOF", " ".repeat(WITHIN)],
    ],
    [
      "a PDF with a second end mark in a later piece",
      "application/pdf",
      ["%PDF-1%%EOF", "1".repeat(2_000), "%%EOF"],
    ],
    [
      "a PDF with its end mark before the last 1,024 bytes",
      "application/pdf",
      ["%PDF-%%EOF", " ".repeat(WITHIN), " "],
      CUT_OFF,
    ],
    [
      "a revised PDF without its last end mark",
      "application/pdf",
      ["%PDF-%%EOF", "1".repeat(2_000)],
      CUT_OFF,
    ],
    [
      "a PDF without the last letter of its end mark",
      "application/pdf",
      ["%PDF-1", "%%EO"],
      CUT_OFF,
    ],
    ["a PDF that consists of its signature", "application/pdf", ["%PDF-"], CUT_OFF],
    ["a file of a type without an end mark", "text/csv", ["one;two;three", ";four"]],
  ])(
    "a document without a stated length is complete only if it ends with the end mark of its type: %s",
    async (_, mediaType, pieces, expected) => {
      const asked = { content: "%PDF-", isUnframed: true };
      const reading: Reading = async (response) => {
        async function* content(): AsyncGenerator<Uint8Array> {
          await buffer(response.stream());
          for (const piece of pieces) yield Buffer.from(piece);
        }
        return documentOf(content(), mediaType);
      };
      expect(await contentOf(await site.ask(downloadThing, reading, asked))).toBe(
        expected ?? pieces.join(""),
      );
    },
  );

  it("the gateway does not require an end mark in a document that the adapter has read completely", async () => {
    const reading: Reading = async (response) => {
      const bytes = await response.bytes();
      async function* content(): AsyncGenerator<Uint8Array> {
        yield bytes;
      }
      return documentOf(content());
    };
    const asked = { content: "%PDF-1.7", isUnframed: true };
    expect(await contentOf(await site.ask(downloadThing, reading, asked))).toBe("%PDF-1.7");
  });

  it("no connection to the insurer is in use after the transfer of a document, whether the transfer succeeds or fails", async () => {
    await expect.poll(() => site.underWay()).toBe(0);
  });
});
