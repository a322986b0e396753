import { describe, expect, it } from "vitest";
import { MEGABYTE, read } from "./memory-insurer.ts";

describe("the original bytes of a text", () => {
  const utf8 = { "content-type": "application/json; charset=UTF-8" };
  const letters = (count: number): readonly Uint8Array[] => [Buffer.alloc(count, "x")];
  it.each([
    ["8,191 bytes", {}, letters(8_191), false],
    ["8,192 bytes", {}, letters(8_192), true],
    ["1,048,576 bytes", {}, letters(MEGABYTE), true],
    ["1,048,577 bytes", {}, letters(MEGABYTE + 1), false],
    ["several pieces", {}, [...letters(4_000), ...letters(5_000)], true],
    ["UTF-8 by the header", utf8, letters(9_000), true],
    ["another charset", { "content-type": "a/b; charset=windows-1253" }, letters(9_000), false],
    ["a byte order mark", {}, [Buffer.from(`\ufeff${"x".repeat(9_000)}`)], false],
  ])(
    "the gateway keeps the original bytes of an insurer's answer only if the text is UTF-8 and has 8 kB to 1 MB: %s",
    async (_, headers, pieces, isPassedOn) => {
      const { made } = await read({ headers, pieces });
      const text = await made.response.text();
      expect(made.bytesOf(text)).toEqual(isPassedOn ? Buffer.concat(pieces) : null);
      expect(made.bytesOf(`${text} `)).toBeNull();
    },
  );
});

describe("the length of a text", () => {
  it.each([
    ["a text in UTF-8", {}, "Ελένη", 10],
    ["a text in another charset", { "content-type": "a/b; charset=windows-1252" }, "a", undefined],
    ["a text with a byte order mark", {}, "\ufeffa", undefined],
  ])(
    "the gateway knows an answer's number of bytes only if the text arrived in UTF-8 without a byte order mark: %s",
    async (_, headers, sent, expected) => {
      const { made } = await read({ headers, pieces: [Buffer.from(sent)] });
      const text = await made.response.text();
      expect(made.lengthOf(text)).toBe(expected);
      expect(made.lengthOf(`${text} `)).toBeUndefined();
    },
  );
});

describe("the memory for an answer", () => {
  const bytes = (length: number, of = 1): readonly Uint8Array[] =>
    Array.from({ length: of }, () => Buffer.alloc(length / of, "x"));
  const long = (length: number): Record<string, string> => ({ "content-length": String(length) });
  it.each([
    ["a megabyte", {}, bytes(MEGABYTE), []],
    ["a megabyte in pieces", {}, bytes(MEGABYTE, 4), []],
    ["a declared megabyte", long(MEGABYTE), bytes(MEGABYTE), []],
    [
      "more than a megabyte declared, reserved before reading",
      long(MEGABYTE + 1),
      bytes(10),
      [`reserve ${MEGABYTE + 1}`, "reduce 10"],
    ],
    [
      "more than a megabyte in pieces, reserved once",
      long(MEGABYTE + 2),
      bytes(MEGABYTE + 2, 2),
      [`reserve ${MEGABYTE + 2}`, `reduce ${MEGABYTE + 2}`],
    ],
    [
      "more than a megabyte without a declared length, reserved for the maximum",
      {},
      bytes(MEGABYTE + 4, 4),
      [`reserve ${2 * MEGABYTE}`, `reduce ${MEGABYTE + 4}`],
    ],
  ])(
    "the gateway reserves memory only for an answer of more than a megabyte: %s",
    async (_, headers, pieces, expected) => {
      const { made, maxima, room } = await read({ headers, pieces }, { jsonBytes: 2 * MEGABYTE });
      expect(await made.response.text()).toBe(Buffer.concat(pieces).toString());
      expect(room).toEqual(expected);
      expect(maxima).toEqual([2 * MEGABYTE]);
      made.release();
      expect(room).toEqual(expected.length === 0 ? [] : [...expected, "release"]);
    },
  );

  it("the gateway reserves memory for a large answer that arrives together with its headers, but not for an empty answer", async () => {
    const pieces = bytes(MEGABYTE + 1);
    const large = await read({ headers: long(MEGABYTE + 1), pieces, isWhole: true });
    expect((await large.made.response.text()).length).toBe(MEGABYTE + 1);
    expect(large.room).toEqual([`reserve ${MEGABYTE + 1}`, `reduce ${MEGABYTE + 1}`]);
    for (const isWhole of [true, false]) {
      const empty = await read({ headers: long(0), isWhole });
      expect([await empty.made.response.text(), empty.room]).toEqual(["", []]);
    }
  });

  it("an answer's memory is released at once if the call has ended before the memory was reserved", async () => {
    const { made, room } = await read({ headers: long(MEGABYTE + 1), pieces: bytes(10) });
    made.release();
    await made.response.text();
    expect(room).toEqual([`reserve ${MEGABYTE + 1}`, "release", "reduce 10"]);
  });

  it("the gateway refuses an answer whose declared length exceeds the maximum length, without reserving memory", async () => {
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

  it("the gateway reads a document up to the limit for documents, and a text with a document in base64 up to a higher limit", async () => {
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
    "the gateway frees the memory of a released answer at once only if the answer exceeds a megabyte: %i bytes before, %i bytes after",
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

it("the gateway reads an insurer's answer in the charset that the first 1,024 bytes of the answer name", async () => {
  const seen: string[] = [];
  const { made } = await read({ pieces: [Buffer.alloc(2_000, "x")] });
  await made.response.text((beginning) => {
    seen.push(beginning);
    return "utf-8";
  });
  expect(seen).toEqual(["x".repeat(1_024)]);
});

it("the gateway reads an insurer's answer without a charset as UTF-8, and refuses the answer if the bytes are not UTF-8", async () => {
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
])(
  "the gateway can tell that an answer is complete only if the answer has a length or chunked encoding: %j, %s",
  async (headers, hasFraming) => {
    const { made } = await read({ headers });
    expect(made.hasFraming).toBe(hasFraming);
  },
);
