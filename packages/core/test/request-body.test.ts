import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isReceivedFile } from "../src/runtime.ts";
import { type WrittenBody, writeBody } from "../src/transport/index.ts";

const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
const path = join(folder, "photo.png");
writeFileSync(path, "photo");
afterAll(() => rmSync(folder, { recursive: true }));

async function* stream(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("str");
  yield Buffer.from("eam");
}

async function textOf({ content }: WrittenBody): Promise<string> {
  if (typeof content === "string") return content;
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("request bodies", () => {
  it.each([
    ["application/json", { a: "Ω", b: undefined }, "application/json", '{"a":"Ω"}'],
    ["application/hal+json", null, "application/hal+json", "null"],
    ["text/plain", "Ω", "text/plain; charset=utf-8", "Ω"],
    [
      "application/x-www-form-urlencoded",
      { a: ["1", "&"], b: { c: 1 }, d: { mediaType: "a/b", content: new Uint8Array() } },
      "application/x-www-form-urlencoded",
      "a=1&a=%26&b=%7B%22c%22%3A1%7D",
    ],
  ])(
    "a body of the media type %s is written as a text that can be sent again",
    (mediaType, value, contentType, content) => {
      expect(writeBody(mediaType, value)).toEqual({
        contentType,
        content,
        size: null,
        isRepeatable: true,
      });
    },
  );

  it.each([
    ["bytes", { mediaType: "image/png", content: Buffer.from("photo") }, "photo", 5, true],
    ["a file on disk", { mediaType: "image/png", content: { path } }, "photo", 5, true],
    ["a stream", { mediaType: "image/png", content: stream() }, "stream", null, false],
    [
      "a stream of a known size",
      { mediaType: "image/png", content: stream(), size: 6 },
      "stream",
      6,
      false,
    ],
  ])(
    "a request body has the size of its content, or `null` if the size is unknown: %s",
    async (_, file, text, size, isRepeatable) => {
      const body = writeBody("image/png", file);
      expect(body).toMatchObject({ contentType: "image/png", size, isRepeatable });
      expect(await textOf(body)).toBe(text);
      if (isRepeatable) expect(await textOf(body)).toBe(text);
    },
  );

  it("a multipart form contains each part with its name and media type", async () => {
    const body = writeBody("multipart/form-data", {
      note: "Ω",
      'a"\r\n': "b",
      photos: [
        { name: 'x"y.png', mediaType: "image/png", content: { path } },
        { mediaType: "a/b", content: Buffer.from("") },
      ],
    });
    const [, boundary = ""] =
      /^multipart\/form-data; boundary=(----insurance-gateway-[\da-f-]{36})$/.exec(
        body.contentType,
      ) ?? [];
    const text = await textOf(body);
    expect(text.replaceAll(boundary, "X").split("\r\n")).toEqual([
      "--X",
      'Content-Disposition: form-data; name="note"',
      "",
      "Ω",
      "--X",
      'Content-Disposition: form-data; name="a%22%0D%0A"',
      "",
      "b",
      "--X",
      'Content-Disposition: form-data; name="photos"; filename="x%22y.png"',
      "Content-Type: image/png",
      "",
      "photo",
      "--X",
      'Content-Disposition: form-data; name="photos"; filename="file"',
      "Content-Type: a/b",
      "",
      "",
      "--X--",
      "",
    ]);
    expect([body.size, body.isRepeatable]).toEqual([Buffer.byteLength(text), true]);
    expect(await textOf(body)).toBe(text);
  });

  it("a form with a stream of unknown size has no size and can be sent only once", () => {
    const photo = { mediaType: "image/png", content: stream() };
    const other = { mediaType: "image/png", content: Buffer.from("") };
    for (const form of [
      { photo, other },
      { other, photo },
    ])
      expect(writeBody("multipart/form-data", form)).toMatchObject({
        size: null,
        isRepeatable: false,
      });
    expect(writeBody("multipart/form-data", { photo: { ...photo, size: 6 } }).size).toBeGreaterThan(
      6,
    );
  });

  it.each([
    ["image/png", { content: { path: join(folder, "none") }, mediaType: "image/png" }, ""],
    ["image/png", { content: { path: folder }, mediaType: "image/png" }, ""],
    [
      "multipart/form-data",
      { a: "b", photo: { content: { path: folder }, mediaType: "image/png" } },
      "/photo",
    ],
  ])(
    "a body of the media type %s is refused if one of its files cannot be read",
    (mediaType, value, pointer) => {
      expect(() => writeBody(mediaType, value)).toThrow(
        expect.objectContaining({
          name: "UnreadableFileError",
          message: "A file of the request cannot be read",
          pointer,
        }),
      );
    },
  );

  it("a body that was received over the network cannot refer to a file on the disk", async () => {
    const file = { mediaType: "image/png", content: { path } };
    const whole = writeBody("image/png", file, isReceivedFile);
    expect(whole).toMatchObject({ contentType: "image/png", size: null, isRepeatable: true });
    expect(whole.content).toMatch(/^mediaType=image%2Fpng&content=/);
    const form = await textOf(writeBody("multipart/form-data", { file }, isReceivedFile));
    expect(form).toContain(
      `name="file"\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(file)}\r\n--`,
    );
  });
});
