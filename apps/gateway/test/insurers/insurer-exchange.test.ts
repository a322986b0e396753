import { describe, expect, it } from "vitest";
import { MEGABYTE, read } from "./memory-insurer.ts";

describe("the bytes of a text are passed on in its place", () => {
  const utf8 = { "content-type": "application/json; charset=UTF-8" };
  const letters = (count: number): readonly Uint8Array[] => [Buffer.alloc(count, "x")];
  it.each([
    ["with 8,191 bytes", {}, letters(8_191), false],
    ["with 8,192", {}, letters(8_192), true],
    ["with 1,048,576", {}, letters(MEGABYTE), true],
    ["with 1,048,577", {}, letters(MEGABYTE + 1), false],
    ["in several pieces", {}, [...letters(4_000), ...letters(5_000)], true],
    ["in UTF-8 by its header", utf8, letters(9_000), true],
    ["in another charset", { "content-type": "a/b; charset=windows-1253" }, letters(9_000), false],
    ["with a byte order mark", {}, [Buffer.from(`\ufeff${"x".repeat(9_000)}`)], false],
  ])("%s: %#", async (_, headers, pieces, isPassedOn) => {
    const { made } = await read({ headers, pieces });
    const text = await made.response.text();
    expect(made.bytesOf(text)).toEqual(isPassedOn ? Buffer.concat(pieces) : null);
    expect(made.bytesOf(`${text} `)).toBeNull();
  });
});

describe("the length of a text in UTF-8 is known", () => {
  it.each([
    ["of one that came in UTF-8", {}, "Ελένη", 10],
    [
      "not of one in another charset",
      { "content-type": "a/b; charset=windows-1252" },
      "a",
      undefined,
    ],
    ["not with a byte order mark, which the text has not", {}, "\ufeffa", undefined],
  ])("%s", async (_, headers, sent, expected) => {
    const { made } = await read({ headers, pieces: [Buffer.from(sent)] });
    const text = await made.response.text();
    expect(made.lengthOf(text)).toBe(expected);
    expect(made.lengthOf(`${text} `)).toBeUndefined();
  });
});

describe("room for an answer", () => {
  const bytes = (length: number, of = 1): readonly Uint8Array[] =>
    Array.from({ length: of }, () => Buffer.alloc(length / of, "x"));
  const long = (length: number): Record<string, string> => ({ "content-length": String(length) });
  it.each([
    ["not for a megabyte", {}, bytes(MEGABYTE), []],
    ["not for a megabyte in pieces", {}, bytes(MEGABYTE, 4), []],
    ["not for a declared megabyte", long(MEGABYTE), bytes(MEGABYTE), []],
    [
      "for what is declared, before anything is read",
      long(MEGABYTE + 1),
      bytes(10),
      [`reserve ${MEGABYTE + 1}`, "reduce 10"],
    ],
    [
      "once for what is declared and comes in pieces",
      long(MEGABYTE + 2),
      bytes(MEGABYTE + 2, 2),
      [`reserve ${MEGABYTE + 2}`, `reduce ${MEGABYTE + 2}`],
    ],
    [
      "for the longest where nothing is declared",
      {},
      bytes(MEGABYTE + 4, 4),
      [`reserve ${2 * MEGABYTE}`, `reduce ${MEGABYTE + 4}`],
    ],
  ])("is reserved %s", async (_, headers, pieces, expected) => {
    const { made, maxima, room } = await read({ headers, pieces }, { jsonBytes: 2 * MEGABYTE });
    expect(await made.response.text()).toBe(Buffer.concat(pieces).toString());
    expect(room).toEqual(expected);
    expect(maxima).toEqual([2 * MEGABYTE]);
    made.release();
    expect(room).toEqual(expected.length === 0 ? [] : [...expected, "release"]);
  });

  it("is reserved also for a large answer that has come with its head, and none for an empty one", async () => {
    const pieces = bytes(MEGABYTE + 1);
    const large = await read({ headers: long(MEGABYTE + 1), pieces, isWhole: true });
    expect((await large.made.response.text()).length).toBe(MEGABYTE + 1);
    expect(large.room).toEqual([`reserve ${MEGABYTE + 1}`, `reduce ${MEGABYTE + 1}`]);
    for (const isWhole of [true, false]) {
      const empty = await read({ headers: long(0), isWhole });
      expect([await empty.made.response.text(), empty.room]).toEqual(["", []]);
    }
  });

  it("is given back at once where nobody waits for the answer any more", async () => {
    const { made, room } = await read({ headers: long(MEGABYTE + 1), pieces: bytes(10) });
    made.release();
    await made.response.text();
    expect(room).toEqual([`reserve ${MEGABYTE + 1}`, "release", "reduce 10"]);
  });

  it("is not asked for where more is declared than may come", async () => {
    const { made, room } = await read({ headers: long(11), pieces: bytes(11) }, { jsonBytes: 10 });
    await expect(made.response.text()).rejects.toMatchObject({
      phase: "body",
      reason: "too_large",
    });
    const { made: fitting } = await read(
      { headers: long(10), pieces: bytes(10) },
      { jsonBytes: 10 },
    );
    expect(await fitting.response.text()).toBe("xxxxxxxxxx");
    expect(room).toEqual([]);
  });

  it("is that of a document: its own bytes, or in base64 with the message around it", async () => {
    const limits = { jsonBytes: 10, documentBytes: 101 };
    const { made, maxima } = await read({ pieces: bytes(10) }, limits);
    await made.response.bytes();
    await made.response.textWithDocuments();
    expect(made.isStreamed()).toBe(false);
    for await (const _ of made.response.stream());
    expect(maxima).toEqual([101, 152, 101]);
    expect(made.isStreamed()).toBe(true);
  });

  it.each([
    [MEGABYTE, MEGABYTE],
    [MEGABYTE + 1, 0],
  ])(
    "room for an answer of %i bytes leaves %i bytes of memory when it is released",
    async (length, left) => {
      const whole = Buffer.allocUnsafeSlow(length).fill("x");
      const { made } = await read({ pieces: [whole], isWhole: true });
      await made.response.text();
      expect(whole.byteLength).toBe(length);
      made.release();
      expect(whole.byteLength).toBe(left);
    },
  );
});

it("an answer that names its charset within its first 1,024 bytes is read with it", async () => {
  const seen: string[] = [];
  const { made } = await read({ pieces: [Buffer.alloc(2_000, "x")] });
  await made.response.text((beginning) => {
    seen.push(beginning);
    return "utf-8";
  });
  expect(seen).toEqual(["x".repeat(1_024)]);
});

it("an answer that names no charset is UTF-8, and unreadable where it is not", async () => {
  const greek = await read({ pieces: [Buffer.from("Ελλάδα")] });
  expect(await greek.made.response.text(() => undefined)).toBe("Ελλάδα");
  const broken = await read({ pieces: [Buffer.of(0x78, 0xff)] });
  await expect(broken.made.response.text()).rejects.toMatchObject({
    phase: "body",
    reason: "unreadable",
  });
});

it.each([
  [{ "content-length": "3" }, true],
  [{ "transfer-encoding": "chunked" }, true],
  [{ connection: "close" }, false],
])("an answer with %j says itself where it ends: %s", async (headers, hasFraming) => {
  const { made } = await read({ headers });
  expect(made.hasFraming).toBe(hasFraming);
});
