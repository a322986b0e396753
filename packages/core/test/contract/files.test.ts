import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  answerOf,
  check,
  type FilePart,
  jsonAnswerOf,
  none,
  pdf,
} from "../../src/contract/index.ts";
import {
  answerMediaOf,
  answersOf,
  answerTypes,
  bodyFormatOf,
  bodyMediaOf,
  bodyOf,
  decodeForm,
  encodeForm,
  fileNameOf,
  fileTypeOf,
  formFieldsOf,
  hasFiles,
  isEmptyAnswer,
  isFilePart,
  isReceivedFile,
  jsonBodyOf,
  sizeOf,
} from "../../src/runtime.ts";
import {
  file,
  integer,
  list,
  loose,
  oneOf,
  strict,
  string,
  zodSchema,
} from "../../src/schema/index.ts";
import { policy } from "../harness/declarations.ts";

const png = { mediaType: "image/png", extension: "png" };
const content = new Uint8Array([1, 2, 3]);
async function* stream(): AsyncGenerator<Uint8Array> {
  yield content;
}

describe("files of a request", () => {
  const mediaType = "image/png";
  it.each<[string, unknown, boolean, boolean]>([
    ["bytes as content", { mediaType, content }, true, true],
    ["a stream as content", { mediaType, content: stream() }, true, true],
    ["a path as content", { mediaType, content: { path: "/tmp/a" } }, true, false],
    ["an empty path", { mediaType, content: { path: "" } }, false, false],
    ["a number as the path", { mediaType, content: { path: 7 } }, false, false],
    ["a string as content", { mediaType, content: "text" }, false, false],
    ["null as content", { mediaType, content: null }, false, false],
    ["an empty object as content", { mediaType, content: {} }, false, false],
    ["no content", { mediaType }, false, false],
    ["no media type", { content }, false, false],
    ["a media type without a slash", { mediaType: "image", content }, false, false],
    ["a media type with a parameter", { mediaType: "a/b; c=d", content }, false, false],
    [
      "the longest media type",
      { mediaType: `${"a".repeat(127)}/${"b".repeat(127)}`, content },
      true,
      true,
    ],
    ["a media type that is too long", { mediaType: `${"a".repeat(128)}/b`, content }, false, false],
    ["a file name", { mediaType, content, name: "a" }, true, true],
    ["a number as the file name", { mediaType, content, name: 7 }, false, false],
    ["a stream with a size", { mediaType, content: stream(), size: 0 }, true, true],
    ["a fractional size", { mediaType, content, size: 1.5 }, false, false],
    ["a negative size", { mediaType, content, size: -1 }, false, false],
    ["a string as the size", { mediaType, content, size: "1" }, false, false],
    ["null instead of a file", null, false, false],
    ["a string instead of a file", "text", false, false],
  ])(
    "a value is recognised as a file by the value's fields: %s (file to send: %j, received file: %j)",
    (_, value, isPart, isReceived) => {
      expect([isFilePart(value), isReceivedFile(value)]).toEqual([isPart, isReceived]);
    },
  );

  it("the size of a file is the number of bytes in memory or the declared size of a stream, and null if neither exists", () => {
    expect(sizeOf({ mediaType, content, size: 7 })).toBe(3);
    expect(sizeOf({ mediaType, content: stream(), size: 7 })).toBe(7);
    expect(sizeOf({ mediaType, content: stream() })).toBeNull();
  });

  it("a file schema refuses a value that is not a file, has another media type or is too large", () => {
    const faultsOf = (rules: Parameters<typeof file>[0], value: unknown): unknown => {
      const checked = check(zodSchema(file(rules)), value);
      return checked.valid ? [] : checked.faults.map(({ code, message }) => [code, message]);
    };
    const part = { mediaType, content };
    expect(faultsOf({}, part)).toEqual([]);
    expect(faultsOf({}, "text")).toEqual([["TYPE", "must be a file"]]);
    expect(faultsOf({ mediaTypes: ["image/png", "image/gif"], maxBytes: 3 }, part)).toEqual([]);
    expect(faultsOf({ mediaTypes: ["image/jpeg", "image/gif"], maxBytes: 2 }, part)).toEqual([
      ["VALUE", "must be a file of type image/jpeg or image/gif"],
      ["LENGTH", "must have at most 2 bytes"],
    ]);
    // The size of a stream may be unknown until it is read.
    expect(faultsOf({ maxBytes: 2 }, { mediaType, content: stream() })).toEqual([]);
    expect(faultsOf({ maxBytes: 2 }, { mediaType, content: stream(), size: 3 })).toHaveLength(1);
  });

  it("the JSON Schema of a file contains the allowed media types and the maximum size", () => {
    const { $schema: _, ...written } = z.toJSONSchema(file({ mediaTypes: ["a/b"], maxBytes: 2 }), {
      unrepresentable: "any",
    });
    expect(written).toEqual({
      type: "string",
      format: "binary",
      "x-file": { mediaTypes: ["a/b"], maxBytes: 2 },
    });
    expect(z.toJSONSchema(file(), { unrepresentable: "any" })).toMatchObject({ "x-file": {} });
  });
});

interface Form {
  readonly name: string;
  readonly count?: number;
  readonly isNew?: boolean;
  readonly tags?: string[];
  readonly years?: number[];
  readonly photo?: FilePart;
  readonly photos?: FilePart[];
  readonly holder?: { readonly name: string };
  readonly choice?: { readonly a: number } | string;
}
const form = strict<Form>({
  name: string(),
  count: z.exactOptional(integer()),
  isNew: z.exactOptional(z.boolean()),
  tags: z.exactOptional(list(string())),
  years: z.exactOptional(list(z.number())),
  photo: z.exactOptional(file({ mediaTypes: ["image/png"], maxBytes: 5 })),
  photos: z.exactOptional(list(file())),
  holder: z.exactOptional(z.strictObject({ name: string() })),
  choice: z.exactOptional(z.union([z.strictObject({ a: z.number() }), string()])),
});

describe("forms", () => {
  const plain = { isList: false, maxBytes: null, mediaTypes: null };
  const fields = formFieldsOf(form);
  const part: FilePart = { mediaType: "image/png", content };

  it("the fields of a form are derived from the form's schema, with their types and file limits", () => {
    expect(fields).toEqual({
      name: { ...plain, type: "string" },
      count: { ...plain, type: "integer" },
      isNew: { ...plain, type: "boolean" },
      tags: { ...plain, type: "string", isList: true },
      years: { ...plain, type: "number", isList: true },
      photo: { ...plain, type: "file", maxBytes: 5, mediaTypes: ["image/png"] },
      photos: { ...plain, type: "file", isList: true },
      holder: { ...plain, type: "object" },
      choice: { ...plain, type: "object" },
    });
    expect(formFieldsOf(zodSchema(string()))).toEqual({});
    const either = strict<{ a: string | number }>({ a: oneOf(string(), z.number()) });
    expect(formFieldsOf(either)).toEqual({ a: { ...plain, type: "string" } });
    const one = z.strictObject({ b: string() });
    const unions = loose<Readonly<Record<string, unknown>>>({
      objects: z.union([one, z.strictObject({ c: string() })]),
      scalars: z.union([string(), z.number()]),
    });
    expect(formFieldsOf(unions)).toEqual({
      objects: { ...plain, type: "object" },
      scalars: { ...plain, type: "string" },
    });
  });

  it("the form decoder converts each field to its declared type, and leaves a value unchanged if the type does not fit", () => {
    const entries = [
      ["name", "007"],
      ["count", "007"],
      ["isNew", "true"],
      ["tags", "1"],
      ["years", "2025"],
      ["tags", "a,b"],
      ["years", "x"],
      ["photo", part],
      ["photos", part],
      ["holder", '{"name":"Ω"}'],
      ["choice", "{"],
      ["unknown", "1"],
      ["unknown", "2"],
      ["toString", "3"],
    ] as const;
    expect(decodeForm(entries, fields)).toEqual({
      value: {
        name: "007",
        count: 7,
        isNew: true,
        tags: ["1", "a,b"],
        years: [2025, "x"],
        photo: part,
        photos: [part],
        holder: { name: "Ω" },
        choice: "{",
        unknown: "2",
        toString: "3",
      },
      repeated: [],
    });
    expect(decodeForm([["holder", "x"]], fields, (text) => `parsed ${text}`).value).toEqual({
      holder: "parsed x",
    });
  });

  it("the form decoder reports each repeated field once if the field is not declared as a list", () => {
    const entries = ["name", "count", "name", "name", "tags", "tags"].map(
      (name) => [name, "1"] as const,
    );
    expect(decodeForm(entries, fields).repeated).toEqual([
      { pointer: "/name", code: "REPEATED", message: "must not be repeated" },
    ]);
  });

  it("the form encoder writes a separate entry for each list item, and objects as JSON", () => {
    expect(
      encodeForm({
        name: "Ω",
        count: 7,
        isNew: false,
        none: undefined,
        nothing: null,
        tags: ["a", undefined, "b"],
        empty: [],
        photos: [part],
        holder: { name: "Ω" },
      }),
    ).toEqual([
      ["name", "Ω"],
      ["count", "7"],
      ["isNew", "false"],
      ["tags", "a"],
      ["tags", "b"],
      ["photos", part],
      ["holder", '{"name":"Ω"}', "application/json"],
    ]);
    const onDisk = { mediaType: "a/b", content: { path: "/tmp/a" } };
    expect(encodeForm({ onDisk })).toEqual([["onDisk", onDisk]]);
    expect(encodeForm({ onDisk }, isReceivedFile)).toEqual([
      ["onDisk", JSON.stringify(onDisk), "application/json"],
    ]);
    expect(encodeForm(undefined)).toEqual([]);
  });
});

describe("body declarations", () => {
  const text = zodSchema(string());

  it("a declared body is required, is JSON and has no size limit by default", () => {
    expect(bodyOf({})).toBeUndefined();
    expect(bodyOf({ body: policy })).toEqual({
      required: true,
      media: { "application/json": policy },
      maxBytes: null,
    });
    const media = { "text/plain": text };
    expect(bodyOf({ body: { media } })).toEqual({ required: true, media, maxBytes: null });
    expect(bodyOf({ body: { required: false, media, maxBytes: 7 } })).toEqual({
      required: false,
      media,
      maxBytes: 7,
    });
  });

  it("a declared body's schema is found by the format of the media type", () => {
    const body = {
      media: { "text/plain": text, "image/png": text, "application/hal+json": policy },
    };
    expect(jsonBodyOf({ body })).toBe(policy);
    expect(jsonBodyOf({ body: { media: { "text/plain": text } } })).toBeUndefined();
    expect(jsonBodyOf({})).toBeUndefined();
    expect(bodyMediaOf({ body }, ["bytes", "text"])).toEqual({
      mediaType: "text/plain",
      schema: text,
    });
    expect(bodyMediaOf({ body }, ["form"])).toBeUndefined();
    expect(bodyMediaOf({}, ["json"])).toBeUndefined();
  });

  it.each([
    ["application/json", "json", false],
    ["application/problem+json", "json", false],
    ["application/json-patch", "bytes", true],
    ["text/json", "text", false],
    ["application/x-www-form-urlencoded", "form", false],
    ["multipart/form-data", "multipart", true],
    ["multipart/mixed", "bytes", true],
    ["text/csv", "text", false],
    ["application/text", "bytes", true],
    ["", "bytes", true],
  ])(
    "a body of the media type %j has the format %s (may contain files: %j)",
    (mediaType, format, files) => {
      const found = bodyFormatOf(mediaType);
      expect([found, hasFiles(found)]).toEqual([format, files]);
    },
  );
});

describe("answer declarations", () => {
  const text = zodSchema(string());
  const both = { media: { "text/plain": text, "application/hal+json": policy } };
  const response = { 200: policy, 202: both, 204: none };

  it("the declaration of an answer is found by the answer's status and media type", () => {
    expect(answerOf({ response }, 200)).toEqual({ media: { "application/json": policy } });
    expect(answerOf({ response }, 202)).toBe(both);
    expect(answerOf({ response }, 201)).toBeUndefined();
    expect(answersOf({ response })).toEqual([
      [200, { media: { "application/json": policy } }],
      [202, both],
      [204, none],
    ]);
    expect([none, both].map(isEmptyAnswer)).toEqual([true, false]);
    expect([none, both].map(jsonAnswerOf)).toEqual([undefined, policy]);
    expect(answerMediaOf(both, "text/plain")).toEqual({ mediaType: "text/plain", schema: text });
    expect(answerMediaOf(both, "application/json")).toEqual({
      mediaType: "application/hal+json",
      schema: policy,
    });
    expect(answerMediaOf(both, "text/csv")).toBeUndefined();
    expect(answerMediaOf(none, "application/json")).toBeUndefined();
  });

  it("the media types of an endpoint's answers are listed without duplicates, with the preferred type first", () => {
    expect(answerTypes({ response })).toEqual([
      "application/json",
      "text/plain",
      "application/hal+json",
    ]);
    expect(answerTypes({ response: { 200: policy, 201: policy } })).toEqual(["application/json"]);
    expect(answerTypes({ response: { 204: none } })).toEqual(["application/json"]);
    expect(answerTypes({ response, files: [pdf, png] })).toEqual(["application/pdf", "image/png"]);
  });

  it("a document's file type is found by the media type, and the document's file name has the extension of the file type", () => {
    const files = [pdf, png] as const;
    expect(fileTypeOf({ files }, "image/png")).toBe(png);
    expect(fileTypeOf({ files }, "image/gif")).toBeUndefined();
    expect(fileTypeOf({}, "image/png")).toBeUndefined();
    expect(fileNameOf({ files })).toBe("document.pdf");
    expect(fileNameOf({ files, fileName: "terms" }, png)).toBe("terms.png");
    expect(fileNameOf({})).toBe("document");
  });
});
