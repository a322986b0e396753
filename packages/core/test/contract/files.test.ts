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

describe("a file of a request", () => {
  const mediaType = "image/png";
  it.each<[string, unknown, boolean, boolean]>([
    ["with bytes", { mediaType, content }, true, true],
    ["with a stream", { mediaType, content: stream() }, true, true],
    ["with a path", { mediaType, content: { path: "/tmp/a" } }, true, false],
    ["with an empty path", { mediaType, content: { path: "" } }, false, false],
    ["with a path that is none", { mediaType, content: { path: 7 } }, false, false],
    ["with a text", { mediaType, content: "text" }, false, false],
    ["with null", { mediaType, content: null }, false, false],
    ["with other content", { mediaType, content: {} }, false, false],
    ["without content", { mediaType }, false, false],
    ["without a type", { content }, false, false],
    ["with half a type", { mediaType: "image", content }, false, false],
    ["with a type with a parameter", { mediaType: "a/b; c=d", content }, false, false],
    [
      "with a long type",
      { mediaType: `${"a".repeat(127)}/${"b".repeat(127)}`, content },
      true,
      true,
    ],
    ["with a longer type", { mediaType: `${"a".repeat(128)}/b`, content }, false, false],
    ["with a name", { mediaType, content, name: "a" }, true, true],
    ["with a name that is none", { mediaType, content, name: 7 }, false, false],
    ["with a size", { mediaType, content: stream(), size: 0 }, true, true],
    ["with half a size", { mediaType, content, size: 1.5 }, false, false],
    ["with a size below 0", { mediaType, content, size: -1 }, false, false],
    ["with a size as a text", { mediaType, content, size: "1" }, false, false],
    ["that is null", null, false, false],
    ["that is a text", "text", false, false],
  ])("%s is one: %j, received: %j", (_, value, isPart, isReceived) => {
    expect([isFilePart(value), isReceivedFile(value)]).toEqual([isPart, isReceived]);
  });

  it("has its size, if that is known", () => {
    expect(sizeOf({ mediaType, content, size: 7 })).toBe(3);
    expect(sizeOf({ mediaType, content: stream(), size: 7 })).toBe(7);
    expect(sizeOf({ mediaType, content: stream() })).toBeNull();
  });

  it("is refused by its type and its size", () => {
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

  it("has its rules in the JSON Schema", () => {
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

describe("a form", () => {
  const plain = { isList: false, maxBytes: null, mediaTypes: null };
  const fields = formFieldsOf(form);
  const part: FilePart = { mediaType: "image/png", content };

  it("has the fields of its schema", () => {
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

  it("is read with its types", () => {
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

  it("names each field once that is repeated and is no list", () => {
    const entries = ["name", "count", "name", "name", "tags", "tags"].map(
      (name) => [name, "1"] as const,
    );
    expect(decodeForm(entries, fields).repeated).toEqual([
      { pointer: "/name", code: "REPEATED", message: "must be given once" },
    ]);
  });

  it("is written with a field for each item, and JSON for an object", () => {
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

describe("a declared body", () => {
  const text = zodSchema(string());

  it("has its defaults", () => {
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

  it("has a media type of each format", () => {
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
    "a declared body of the type %j has the format %s, with files: %j",
    (mediaType, format, files) => {
      const found = bodyFormatOf(mediaType);
      expect([found, hasFiles(found)]).toEqual([format, files]);
    },
  );
});

describe("a declared answer", () => {
  const text = zodSchema(string());
  const both = { media: { "text/plain": text, "application/hal+json": policy } };
  const response = { 200: policy, 202: both, 204: none };

  it("is found by its status and its type", () => {
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

  it("has its types, each once, the preferred one first", () => {
    expect(answerTypes({ response })).toEqual([
      "application/json",
      "text/plain",
      "application/hal+json",
    ]);
    expect(answerTypes({ response: { 200: policy, 201: policy } })).toEqual(["application/json"]);
    expect(answerTypes({ response: { 204: none } })).toEqual(["application/json"]);
    expect(answerTypes({ response, files: [pdf, png] })).toEqual(["application/pdf", "image/png"]);
  });

  it("the declared answer of a document has its type and its name", () => {
    const files = [pdf, png] as const;
    expect(fileTypeOf({ files }, "image/png")).toBe(png);
    expect(fileTypeOf({ files }, "image/gif")).toBeUndefined();
    expect(fileTypeOf({}, "image/png")).toBeUndefined();
    expect(fileNameOf({ files })).toBe("document.pdf");
    expect(fileNameOf({ files, fileName: "terms" }, png)).toBe("terms.png");
    expect(fileNameOf({})).toBe("document");
  });
});
