import type { FormFields } from "@insurance-gateway/core/runtime";
import { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import {
  boundaryOf,
  createFormReader,
  type FormLimits,
  readPartHeader,
} from "../../../src/http/uploads/multipart.ts";
import type { RequestFiles } from "../../../src/http/uploads/uploads.ts";

/** Returns the result of a read, or the code and the detail of its refusal. */
async function resultOf(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.code}: ${error.details.detail}`;
  }
}

/** Files in memory, with their names and received texts. */
const files: Pick<RequestFiles, "beginUpload"> = {
  async beginUpload() {
    const pieces: Uint8Array[] = [];
    return {
      write: async (piece) => void pieces.push(piece),
      // The form's description of the file, and the received text of the file.
      finish: async (named) => ({ ...named, text: Buffer.concat(pieces).toString() }) as never,
    };
  },
};

const anyFile = { type: "file", isList: false, maxBytes: null, mediaTypes: null };
const fields: FormFields = {
  photo: { ...anyFile, maxBytes: 5 },
  scan: anyFile,
  note: { ...anyFile, type: "string" },
};

function part(head: string, content = "x"): string {
  return `--b\r\n${head}\r\n\r\n${content}\r\n`;
}
const named = (name: string, more = ""): string =>
  `Content-Disposition: form-data; name="${name}"${more}`;

/** Reads a form that arrives in one piece, or in pieces of `pieceBytes` characters. */
function readForm(
  text: string,
  rules: Partial<FormLimits> = {},
  pieceBytes = text.length,
): Promise<unknown> {
  return resultOf(async () => {
    const reader = createFormReader("b", { fields, fileBytes: 8, textBytes: 10, ...rules }, files);
    for (let at = 0; at < text.length; at += pieceBytes)
      await reader.write(Buffer.from(text.slice(at, at + pieceBytes), "latin1"));
    return reader.end();
  });
}

describe("a form", () => {
  const whole = `${part(named("note"), "12345")}${part(`${named("photo", '; filename="a.png"')}\r\nContent-Type: Image/PNG; x=1`, "12345")}${part(named("scan"), "12345678")}${part(named("note"), "")}--b--\r\n`;

  it.each([[1], [7], [10_000]])(
    "the gateway reads the same fields from a form regardless of the size of the pieces in which the form arrives: %i characters",
    async (bytes) => {
      expect(await readForm(whole, {}, bytes)).toEqual([
        ["note", "12345"],
        ["photo", { mediaType: "image/png", name: "a.png", text: "12345" }],
        ["scan", { mediaType: "application/octet-stream", text: "12345678" }],
        ["note", ""],
      ]);
    },
  );

  it("all text fields of a form together may not exceed the maximum number of bytes", async () => {
    const form = (second: string): string =>
      `${part(named("note"), "12345")}${part(named("other"), second)}--b--`;
    expect(await readForm(form("67890"))).toEqual([
      ["note", "12345"],
      ["other", "67890"],
    ]);
    expect(await readForm(form("678901"))).toBe(
      "PAYLOAD_TOO_LARGE: All fields of a form that are not files may have at most 10 bytes together.",
    );
  });

  it.each([
    ["photo", 5, 6],
    ["scan", 8, 9],
  ])(
    "the gateway refuses a file that exceeds the limit of the form's field or the limit for all files together: %s, limit %i bytes",
    async (name, most, more) => {
      const form = (bytes: number): string => `${part(named(name), "x".repeat(bytes))}--b--`;
      expect(await readForm(form(most))).toHaveLength(1);
      expect(await readForm(form(more))).toBe(
        `PAYLOAD_TOO_LARGE: The file ${name} may have at most ${most} bytes.`,
      );
    },
  );

  it("a form may have at most a hundred parts", async () => {
    const form = (parts: number): string => `${part(named("note"), "").repeat(parts)}--b--`;
    expect(await readForm(form(100))).toHaveLength(100);
    const refused = "INVALID_REQUEST: A form may have at most 100 parts.";
    expect(await readForm(form(101))).toBe(refused);
    expect(await readForm(`${part(named("note"), "").repeat(101)}--b`, {}, 50)).toBe(refused);
  });

  it("the gateway keeps a byte order mark at the beginning of a form's text field", async () => {
    expect(await readForm(`${part(named("note"), "\xef\xbb\xbfx")}--b--`)).toEqual([
      ["note", "\ufeffx"],
    ]);
  });

  it("a form's text field remains a text even if the field is named like a built-in property of JavaScript objects", async () => {
    expect(await readForm(`${part(named("constructor"))}--b--`)).toEqual([["constructor", "x"]]);
  });

  it.each([
    [
      "a part without headers",
      "--b\r\n\r\nx\r\n--b--",
      "Each part of a form needs a Content-Disposition of form-data with a name.",
    ],
    [
      "a part that ends in its headers",
      `--b\r\n${named("note")}\r\n--b--`,
      "A part of the form has no headers.",
    ],
    [
      "no closing boundary",
      part(named("note")),
      "The form is not well-formed multipart/form-data.",
    ],
    [
      "a text that is not UTF-8",
      `${part(named("note"), "\xff")}--b--`,
      "A field of the form is not UTF-8.",
    ],
  ])("the gateway refuses a malformed form: %s", async (_, text, detail) => {
    expect(await readForm(text)).toBe(`INVALID_REQUEST: ${detail}`);
  });
});

describe("the boundary of a form", () => {
  const needed =
    "INVALID_REQUEST: A multipart/form-data body needs a boundary of 1 to 70 characters in its Content-Type.";
  it.each([
    ["b", "b"],
    ['"b c"', "b c"],
    ['"b "', null],
    [`"${"b".repeat(70)}"`, "b".repeat(70)],
    [`"${"b".repeat(71)}"`, null],
    ["b".repeat(70), "b".repeat(70)],
    ["b".repeat(71), null],
    ["b; charset=utf-8", "b"],
    ["b c", null],
    ["", null],
  ])(
    "the gateway reads the boundary of a form from the Content-Type, or refuses the form: %j is read as %j",
    async (given, boundary) => {
      const found = await resultOf(() => boundaryOf(`multipart/form-data; Boundary=${given}`));
      expect(found).toBe(boundary ?? needed);
    },
  );
});

describe("the headers of a part", () => {
  const disposition = "Each part of a form needs a Content-Disposition of form-data with a name.";
  const nameRule = "The name of a part must be plain text of 1 to 200 characters.";
  const fileRule =
    "The name of a file must be plain text of at most 200 characters without slashes and backslashes.";
  const note = { name: "note", fileName: undefined, mediaType: undefined };

  it.each<[string, unknown]>([
    ['form-data; name="note"', note],
    ["FORM-DATA;name=note", note],
    ['form-data ; name="note" ', note],
    ['form-data; name="a\\"b\\\\c"', { ...note, name: 'a"b\\c' }],
    ['form-data; name="note"; filename="a.png"', { ...note, fileName: "a.png" }],
    ['form-data; filename=a.png; NAME="note"', { ...note, fileName: "a.png" }],
    ['form-data; name="note"; filename=""', note],
    [`form-data; name="${"n".repeat(200)}"`, { ...note, name: "n".repeat(200) }],
    [`form-data; name="${"n".repeat(201)}"`, nameRule],
    ['form-data; name=""', nameRule],
    [
      `form-data; name="note"; filename="${"f".repeat(200)}"`,
      { ...note, fileName: "f".repeat(200) },
    ],
    [`form-data; name="note"; filename="${"f".repeat(201)}"`, fileRule],
    ['form-data; name="note"; filename="."', fileRule],
    ['form-data; name="note"; filename=".."', fileRule],
    ['form-data; name="note"; filename="..."', { ...note, fileName: "..." }],
    ['form-data; name="note"; filename="a/b"', fileRule],
    ['form-data; name="note"; filename="a\\\\b"', fileRule],
    [
      'form-data; name="note"; filename="50% of a%22.png"',
      { ...note, fileName: "50% of a%22.png" },
    ],
    ['form-data; name="note"; filename="a%0d%0aX: y"', fileRule],
    ['form-data; name="note"; filename="a%250D%250a"', fileRule],
    ['form-data; name="note"; filename="a%2Fb"', fileRule],
    ['form-data; name="note"; filename="a%5cb"', fileRule],
    ['form-data; name="note"; filename="%2e%2E"', fileRule],
    ['form-data; name="note"; filename="a%E2%80%AEgnp.exe"', fileRule],
    ['form-data; name="note%00"', nameRule],
    ['form-data; name="note"; name="note"', disposition],
    ['form-data; name="note"; size=1', disposition],
    ['form-data; name="note" x', disposition],
    ["form-data", disposition],
    ['form-datax; name="note"', disposition],
    ['attachment; name="note"', disposition],
    ["", disposition],
  ])(
    "the gateway reads the names of the field and the file from the headers of a form's part, or refuses the part: %j is read as %j",
    async (text, expected) => {
      const found = await resultOf(() => readPartHeader({ "content-disposition": [text] }));
      expect(found).toEqual(
        typeof expected === "string" ? `INVALID_REQUEST: ${expected}` : expected,
      );
    },
  );

  it.each<[string, unknown]>([
    ["image/png", "image/png"],
    [" Text/Plain ; charset=utf-8", "text/plain"],
    ["", undefined],
    [`${"a".repeat(127)}/${"b".repeat(127)}`, `${"a".repeat(127)}/${"b".repeat(127)}`],
    [`${"a".repeat(128)}/b`, null],
    ["image", null],
    ["image/png/x", null],
  ])(
    "the gateway reads the media type of a form's part: %j is read as %j",
    async (type, expected) => {
      const head = { "content-disposition": ["form-data; name=note"], "content-type": [type] };
      const found = await resultOf(() => readPartHeader(head));
      expect(found).toEqual(
        expected === null
          ? "INVALID_REQUEST: The Content-Type of a part is not a media type."
          : { ...note, mediaType: expected },
      );
    },
  );

  it.each([
    ["7bit", true],
    ["8BIT", true],
    ["binary", true],
    ["base64", false],
    ["", false],
  ])(
    "the gateway refuses a form's part whose transfer encoding changes the content: encoding %j, result %j",
    async (coding, isAllowed) => {
      const head = {
        "content-disposition": ["form-data; name=note"],
        "content-transfer-encoding": [coding],
      };
      expect(await resultOf(() => readPartHeader(head))).toEqual(
        isAllowed
          ? note
          : "INVALID_REQUEST: Send each part as it is, without Content-Transfer-Encoding.",
      );
    },
  );

  it("the gateway refuses a form's part that contains another form, and a part with a repeated header", async () => {
    const head = (more: object): Promise<unknown> =>
      resultOf(() => readPartHeader({ "content-disposition": ["form-data; name=note"], ...more }));
    expect(await head({ "content-type": ["multipart/mixed; boundary=c"] })).toBe(
      "INVALID_REQUEST: A part of a form cannot have parts itself; send each file as a part of its own.",
    );
    expect(await head({ "content-type": ["a/b", "a/b"] })).toBe(
      "INVALID_REQUEST: A part of a form has the same header twice.",
    );
  });
});
