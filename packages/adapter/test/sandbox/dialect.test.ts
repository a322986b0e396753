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

/** Creates a request that a simulated insurer receives, with this text as its body. */
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

describe("a request that a simulated insurer receives", () => {
  it("the sandbox passes a request to the dialect with headers, query, media type, and the body as text and as bytes", () => {
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
    ["no media type", {}, "", "Ω"],
    ["a media type without a charset", { "content-type": "text/plain" }, "text/plain", "Ω"],
    [
      "another charset",
      { "content-type": 'text/plain; a=b; Charset="iso-8859-7"' },
      "text/plain",
      "Ξ©",
    ],
    ["an unknown charset", { "content-type": "text/plain; charset=x-none" }, "text/plain", ""],
  ])(
    "the body of a received request is decoded by the charset of its media type: %s",
    (_, headers, mediaType, body) => {
      const request = received("Ω", { ...headers });
      expect([request.mediaType, request.body]).toEqual([mediaType, body]);
    },
  );

  it("the JSON value of a request that the sandbox receives is null if the request's body is not JSON", () => {
    expect(jsonBody(received('{"a":[1]}'))).toEqual({ a: [1] });
    expect(jsonBody(received('{"a":'))).toBeNull();
    expect(jsonBody(received(""))).toBeNull();
  });
});

describe("the input that a dialect reads from a request", () => {
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

  it("the sandbox converts the values of a call's input to the texts that an HTTP request with this input would contain", () => {
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

  it("the sandbox converts an empty input of a call to an HTTP request without values", () => {
    expect(Object.entries(rawInputOf(endpoint, {}))).toEqual([
      ["params", {}],
      ["search", ""],
      ["headers", {}],
      ["body", undefined],
    ]);
  });
});

describe("a JSON answer of a simulated insurer", () => {
  const rows: Mapping = [["/count", "/CNT", wholeNumber]];
  it("a JSON answer has the given status and headers, and by default the type application/json", () => {
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

  it("a JSON answer has the declared value in the insurer's format, or the status 500 if the value cannot be converted", () => {
    expect(mappedAnswer(202, rows, { count: 7 })).toEqual(jsonAnswer(202, { CNT: "7" }));
    expect(mappedAnswer(202, rows, { count: "seven" })).toEqual(jsonAnswer(500, {}));
  });
});

describe("the page that a query requests", () => {
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
  ])(
    "a query to a simulated insurer requests a page by position and size, or no page if a value is not valid: %j requests %j",
    (search, page) => {
      expect(queriedPage(new URLSearchParams(search), paging)).toEqual(page);
    },
  );
});

describe("a token of a simulated insurer", () => {
  const tokens = expiringTokens("insurer-m", 60);
  const at = (milliseconds: number) => () => new Date(milliseconds);

  it("a token of a simulated insurer contains the token's expiry time", () => {
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
    "a simulated insurer's token is valid only with the insurer's prefix and before the token's expiry: %j at %d ms, valid: %j",
    (authorization, milliseconds, isValid) => {
      expect(tokens.isIn(received("", { authorization }), at(milliseconds))).toBe(isValid);
    },
  );

  it("a request without an authorization header has no valid token", () => {
    expect(tokens.isIn(received(""), at(-1))).toBe(false);
  });
});
