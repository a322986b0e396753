import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { Endpoint, Schema } from "../../src/contract/index.ts";
import {
  decodeHeaders,
  encodeHeaders,
  encodeQuery,
  headerTextFaults,
  inputChecker,
  parameterForms,
  parameterNames,
  queryTexts,
  searchOf,
} from "../../src/runtime.ts";
import { joined, list, loose, strict, string, text, zodSchema } from "../../src/schema/index.ts";
import { listBrands, searchPolicies } from "../harness/declarations.ts";

const texts = list(string(), { minItems: 1 });
interface Filter {
  readonly from: string;
  readonly to?: number;
  readonly open?: boolean;
}
interface Query {
  readonly ids?: number[];
  readonly tags?: string[];
  readonly filter?: Filter;
  readonly level?: 1 | 2;
  readonly flag?: boolean;
}
const query = strict<Query>({
  ids: z.exactOptional(joined(list(z.number(), { minItems: 1 }))),
  tags: z.exactOptional(texts),
  filter: z.exactOptional(
    z.strictObject({
      from: string(),
      to: z.exactOptional(z.number()),
      open: z.exactOptional(z.boolean()),
    }),
  ),
  level: z.exactOptional(z.literal([1, 2])),
  flag: z.exactOptional(z.boolean()),
});

/** Returns a function that reads a query string. It returns the values or the faults. */
function readerOf(schema: Schema<unknown>): (search: string) => unknown {
  const check = inputChecker({ ...searchPolicies, query: schema });
  return (search) => {
    const checked = check({ params: {}, search, body: undefined });
    return checked.valid
      ? checked.value.query
      : checked.faults.map(({ code, pointer }) => `${pointer} ${code}`);
  };
}

describe("parameter forms", () => {
  it("a parameter's schema determines the written form of the parameter's value: joined, repeated, object or scalar", () => {
    expect(parameterForms(query)).toEqual({
      ids: { required: false, style: "joined", type: "number" },
      tags: { required: false, style: "repeated", type: "string" },
      filter: {
        required: false,
        style: "object",
        fields: { from: "string", to: "number", open: "boolean" },
      },
      level: { required: false, style: "scalar", type: "number" },
      flag: { required: false, style: "scalar", type: "boolean" },
    });
    expect(parameterNames(query)).toEqual(["ids", "tags", "filter", "level", "flag"]);
    expect([parameterForms(zodSchema(string())), parameterNames(zodSchema(texts))]).toEqual([
      {},
      [],
    ]);
  });

  it("an optional or readonly parameter has the form of its inner schema, and a parameter whose values no text can express has a fault", () => {
    const odd = loose<Readonly<Record<string, unknown>>>({
      readonly: z.readonly(string()),
      optional: z.exactOptional(z.readonly(z.exactOptional(string()))),
      template: z.templateLiteral(["a", z.number()]),
      enumeration: z.enum({ one: 1, two: 2 }),
      mixed: z.literal(["a", 1]),
      nothing: z.literal(null),
      union: z.union([z.literal("a"), z.readonly(string())]),
      fixed: z.array(string()).check(z.length(1)),
      none: z.array(string()).check(z.length(0)),
      maximum: z.array(string()).check(z.maxLength(2)),
      either: z.union([]),
    });
    const none = (fault: string) => ({ required: true, style: "none", fault });
    const scalar = "has a type that cannot be written as a text and read again without a change";
    const empty = "is a list that may be empty, which cannot be written: give it a minLength of 1";
    expect(parameterForms(odd)).toEqual({
      readonly: { required: true, style: "scalar", type: "string" },
      optional: { required: false, style: "scalar", type: "string" },
      template: { required: true, style: "scalar", type: "string" },
      enumeration: { required: true, style: "scalar", type: "number" },
      mixed: none(scalar),
      nothing: none(scalar),
      union: { required: true, style: "scalar", type: "string" },
      fixed: { required: true, style: "repeated", type: "string" },
      none: none(empty),
      maximum: none(empty),
      either: none(scalar),
    });
  });
});

describe("queries", () => {
  const values = {
    ids: [1, 2],
    tags: ["a,b", "c"],
    filter: { from: "x", to: 7 },
    none: undefined,
    nothing: null,
    flag: false,
  };

  it("the query encoder writes lists as the schema declares, and without a schema writes each list item as a separate parameter", () => {
    expect(queryTexts(values, query)).toEqual([
      ["ids", "1,2"],
      ["tags", "a,b"],
      ["tags", "c"],
      ["filter[from]", "x"],
      ["filter[to]", "7"],
      ["nothing", "null"],
      ["flag", "false"],
    ]);
    expect(encodeQuery({ ids: [1, 2], a: [], b: undefined })).toBe("?ids=1&ids=2");
    expect(encodeQuery({ b: "Ω & =", a: 1, yes: true })).toBe("?b=%CE%A9+%26+%3D&a=1&yes=true");
    expect([encodeQuery({ a: undefined }), encodeQuery({ a: "" })]).toEqual(["", "?a="]);
    expect([searchOf([]), searchOf([["a b", "c&d"]])]).toEqual(["", "?a+b=c%26d"]);
  });

  const read = readerOf(query);
  it.each<[string, unknown]>([
    ["ids=1,2&tags=a&tags=b%2Cc", { ids: [1, 2], tags: ["a", "b,c"] }],
    ["filter[from]=x&filter[to]=7&filter[open]=true", { filter: { from: "x", to: 7, open: true } }],
    ["level=2&flag=false", { level: 2, flag: false }],
    ["level=3", ["/query/level VALUE"]],
    ["ids=1,x", ["/query/ids/1 TYPE"]],
    ["ids=1&ids=2", ["/query/ids REPEATED"]],
    ["flag=true&flag=true", ["/query/flag REPEATED"]],
    ["filter[from]=x&filter[from]=y", ["/query/filter/from REPEATED"]],
    ["filter[to]=7", ["/query/filter/from REQUIRED"]],
    ["filter[from]=x&filter[more]=y", ["/query/filter/more UNKNOWN_FIELD"]],
    ["filter=x", ["/query/filter TYPE"]],
    ["filter=x&filter[from]=y", { filter: { from: "y" } }],
    ["filter[from]=y&filter=x", ["/query/filter REPEATED"]],
    ["filter[from][to]=x", ["/query UNKNOWN_FIELD"]],
    ["tags[a]=x", ["/query UNKNOWN_FIELD"]],
    ["level=1e0", ["/query/level VALUE"]],
  ])("the request checker reads the query string %s as %j", (search, expected) => {
    expect(read(search)).toEqual(expected);
  });
});

describe("numeric parameters", () => {
  const read = readerOf(strict<{ a: number }>({ a: z.number() }));
  const refused = (text: string): [string, unknown] => [text, ["/query/a TYPE"]];
  it.each<[string, unknown]>([
    ["0", { a: 0 }],
    ["-1", { a: -1 }],
    ["007", { a: 7 }],
    ["123456789012345", { a: 123_456_789_012_345 }],
    ["1234567890123456", { a: 1_234_567_890_123_456 }],
    ["1.123456789012345", { a: 1.123_456_789_012_345 }],
    ["1e+21", { a: 1e21 }],
    ["0.0000001", { a: 1e-7 }],
    ...["1e21", "1e1", "0x10", " 1", "", "+1", ".5", "5.", "1_000", "NaN"].map(refused),
    ...["9007199254740993", "1.12345678901234567", "Infinity", "-Infinity"].map(refused),
    refused("9".repeat(16)),
  ])(
    "the request checker reads a numeric parameter only if the text is an exact decimal number: %s is read as %j",
    (a, expected) => {
      expect(read(encodeQuery({ a }).slice(1))).toEqual(expected);
    },
  );
});

describe("header parameters", () => {
  interface Headers {
    readonly "x-ids"?: number[];
    readonly "x-flag"?: boolean;
    readonly "x-name"?: string;
  }
  const forms = parameterForms(
    strict<Headers>({
      "x-ids": z.exactOptional(joined(list(z.number(), { minItems: 1 }))),
      "x-flag": z.exactOptional(z.boolean()),
      "x-name": z.exactOptional(string()),
    }),
  );
  const once = (name: string) => ({
    pointer: `/headers/${name}`,
    code: "REPEATED",
    message: "must not be repeated",
  });
  const ascii = (name: string) => ({
    pointer: `/headers/${name}`,
    code: "FORMAT",
    message: "must be printable ASCII without a space at its beginning or end",
  });

  it("header parameters are written as texts, and undefined values are omitted", () => {
    expect(encodeHeaders({ "x-ids": [1, 2], "x-flag": true, "x-none": undefined })).toEqual({
      "x-ids": "1,2",
      "x-flag": "true",
    });
  });

  it.each([
    [{}, {}, []],
    [{ "x-other": "1", "x-name": undefined }, {}, []],
    [
      { "x-ids": "1, 2 ,3", "x-flag": "true", "x-name": "a,b" },
      { "x-ids": [1, 2, 3], "x-flag": true, "x-name": "a,b" },
      [],
    ],
    [{ "x-ids": ["1", "2,3"] }, { "x-ids": [1, 2, 3] }, []],
    [{ "x-name": ["a"] }, { "x-name": "a" }, []],
    [{ "x-name": ["a", "b"] }, { "x-name": "a,b" }, [once("x-name")]],
    [
      { "x-name": "Ω", "x-ids": " 1" },
      { "x-name": "Ω", "x-ids": [1] },
      [ascii("x-ids"), ascii("x-name")],
    ],
  ])("header parameters are read with their declared types: %j", (given, values, faults) => {
    expect(decodeHeaders(given, forms)).toEqual({ values, faults });
  });

  it.each(["a b", "", "~ !"])("a header parameter may have the text %j", (value) => {
    expect(headerTextFaults("x-a", value)).toEqual([]);
  });

  it.each([" a", "a ", "a\tb", "\u007f", "a\n", "é"])(
    "a header parameter may not contain an outer space, a control character or a non-ASCII letter: %j",
    (value) => {
      expect(headerTextFaults("x-a", value)).toEqual([ascii("x-a")]);
    },
  );

  it("the request checker reports each faulty header once, together with other faults, and ignores undeclared headers", () => {
    const declared: Endpoint = {
      ...listBrands,
      headers: strict<{ "x-name": string }>({ "x-name": text(3) }),
    };
    const check = inputChecker(declared);
    const faultsOf = (headers: Readonly<Record<string, string | string[]>>): unknown => {
      const checked = check({ params: {}, search: "", headers, body: undefined });
      return checked.valid ? checked.value.headers : checked.faults;
    };
    expect(faultsOf({ "x-name": "abc", "x-other": "1" })).toEqual({ "x-name": "abc" });
    expect(faultsOf({ "x-name": ["a", "b", "c"] })).toEqual([once("x-name")]);
    expect(faultsOf({ "x-name": "Ω\u0000" })).toEqual([ascii("x-name")]);
    expect(faultsOf({})).toEqual([
      { pointer: "/headers/x-name", code: "REQUIRED", message: "is required" },
    ]);
  });
});
