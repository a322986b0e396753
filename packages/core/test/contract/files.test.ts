import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { check, type FilePart } from "../../src/contract/index.ts";
import {
  decodeForm,
  encodeForm,
  formFieldsOf,
  isFilePart,
  isReceivedFile,
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
