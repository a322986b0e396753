import { type Read, read } from "@insurance-gateway/core/contract";
import { joined, list, loose, strict, string } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type Mapping, wholeNumber } from "../../src/index.ts";
import {
  expiringTokens,
  jsonAnswer,
  jsonBody,
  mappedAnswer,
  queriedPage,
  type RawRequest,
  rawInputOf,
  rawRequestOf,
} from "../../src/sandbox/index.ts";

/** A received request with a body and headers. */
function received(text: string, headers: Readonly<Record<string, string>> = {}): RawRequest {
  return rawRequestOf({
    method: "POST",
    path: "/claims/C-1",
    params: { claimId: "C-1" },
    headers,
    bytes: new TextEncoder().encode(text),
    search: "tag=a&tag=b%2Cc",
  });
}

describe("a request for a dialect", () => {
  it("a request for a dialect has the received headers, the query, the media type and the text of the body", () => {
    const headers = { "content-type": " Application/JSON ; charset=utf-8", "x-agent": "7" };
    const { query, ...request } = received('{"name":"Ελένη"}', headers);
    expect([...query]).toEqual([
      ["tag", "a"],
      ["tag", "b,c"],
    ]);
    expect(request).toEqual({
      method: "POST",
      path: "/claims/C-1",
      params: { claimId: "C-1" },
      headers,
      bytes: new TextEncoder().encode('{"name":"Ελένη"}'),
      mediaType: "application/json",
      body: '{"name":"Ελένη"}',
    });
  });

  it.each([
    ["no type", {}, "", "Ω"],
    ["a type without a charset", { "content-type": "text/plain" }, "text/plain", "Ω"],
    [
      "another charset",
      { "content-type": 'text/plain; a=b; Charset="iso-8859-7"' },
      "text/plain",
      "Ξ©",
    ],
    ["an unknown charset", { "content-type": "text/plain; charset=x-none" }, "text/plain", ""],
  ])("a request for a dialect with %s has its text", (_, headers, mediaType, body) => {
    const request = received("Ω", { ...headers });
    expect([request.mediaType, request.body]).toEqual([mediaType, body]);
  });

  it("has its body as JSON, or null", () => {
    expect(jsonBody(received('{"a":[1]}'))).toEqual({ a: [1] });
    expect(jsonBody(received('{"a":'))).toBeNull();
    expect(jsonBody(received(""))).toBeNull();
  });
});

describe("the input that a dialect has read", () => {
  interface Query {
    readonly ids?: string[];
    readonly words?: string[];
    readonly urgent?: boolean;
  }
  const texts = list(string(), { minItems: 1 });
  const endpoint: Read<{ query: Query; response: object }> = read({
    provider: "provider-m",
    path: "/claims/{claimId}",
    query: strict<Query>({
      ids: z.exactOptional(joined(texts)),
      words: z.exactOptional(texts),
      urgent: z.exactOptional(z.boolean()),
    }),
    response: { 200: loose<object>({}) },
  });

  it("becomes the texts of a request", () => {
    expect(
      rawInputOf(endpoint, {
        params: { claimId: 7, year: "2026" },
        query: { ids: ["1", "2"], words: ["a", "b"], urgent: true, none: undefined },
        headers: { "x-count": 3, "x-none": undefined },
        body: { a: 1 },
        mediaType: "application/json",
      }),
    ).toEqual({
      params: { claimId: "7", year: "2026" },
      search: "ids=1%2C2&words=a&words=b&urgent=true",
      headers: { "x-count": "3" },
      body: { a: 1 },
      mediaType: "application/json",
    });
  });

  it("may be nothing", () => {
    expect(Object.entries(rawInputOf(endpoint, {}))).toEqual([
      ["params", {}],
      ["search", ""],
      ["headers", {}],
      ["body", undefined],
    ]);
  });
});

describe("an answer in JSON", () => {
  const rows: Mapping = [["/count", "/CNT", wholeNumber]];
  it("has its status, its type and other headers", () => {
    expect(jsonAnswer(201, { a: null })).toEqual({
      status: 201,
      headers: { "content-type": "application/json; charset=utf-8" },
      body: '{"a":null}',
    });
    expect(jsonAnswer(200, [], { "content-type": "application/hal+json", etag: '"1"' })).toEqual({
      status: 200,
      headers: { "content-type": "application/hal+json", etag: '"1"' },
      body: "[]",
    });
  });

  it("has our value in the insurer's format, or is a failure without it", () => {
    expect(mappedAnswer(202, rows, { count: 7 })).toEqual(jsonAnswer(202, { CNT: "7" }));
    expect(mappedAnswer(202, rows, { count: "seven" })).toEqual(jsonAnswer(500, {}));
  });
});

describe("the page that a query asks for", () => {
  const paging = { position: "from", size: "count", most: 50 };
  it.each([
    ["", { position: 0, size: 50 }],
    ["from=0&count=1", { position: 0, size: 1 }],
    ["from=7", { position: 7, size: 50 }],
    ["from=9007199254740991&count=50", { position: 9_007_199_254_740_991, size: 50 }],
    ["from=9007199254740992", null],
    ["from=10000000000000000", null],
    ["from=-1", null],
    ["from=1.5", null],
    ["from=1x", null],
    ["from=", null],
    ["count=49", { position: 0, size: 49 }],
    ["count=51", null],
    ["count=0", null],
    ["count=010", null],
    ["count=-1", null],
    ["count=x1", null],
  ])("%j is %j", (search, page) => {
    expect(queriedPage(new URLSearchParams(search), paging)).toEqual(page);
  });
});

describe("a token of a simulated insurer", () => {
  const tokens = expiringTokens("insurer-m", 60);
  const at = (milliseconds: number) => () => new Date(milliseconds);

  it("contains the time when it expires", () => {
    expect(tokens.seconds).toBe(60);
    expect(tokens.issue(at(1_000))).toBe("insurer-m-61000");
  });

  it.each([
    ["Bearer insurer-m-61000", 1_000, true],
    ["Bearer insurer-m-61000", 60_999, true],
    ["Bearer insurer-m-61000", 61_000, false],
    ["Bearer insurer-m-61000", 61_001, false],
    ["Bearer insurer-n-61000", 1_000, false],
    ["insurer-m-61000", 1_000, false],
    ["Bearer insurer-m-", -1, false],
    ["Bearer insurer-m-6e9", 1_000, false],
    ["Bearer insurer-m-999999999999999", 1_000, true],
    ["Bearer insurer-m-9999999999999999", 1_000, false],
  ])(
    "a token of a simulated insurer in %j is valid at %d: %j",
    (authorization, milliseconds, isValid) => {
      expect(tokens.isIn(received("", { authorization }), at(milliseconds))).toBe(isValid);
    },
  );

  it("is not in a request without one", () => {
    expect(tokens.isIn(received(""), at(-1))).toBe(false);
  });
});
