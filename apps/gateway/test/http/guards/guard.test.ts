import { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import type { LimitsConfiguration } from "../../../src/configuration/file.ts";
import { type GuardedRequest, guardRequest } from "../../../src/pipeline/guard.ts";
import { pathOf, searchOf, splitTarget } from "../../../src/pipeline/target.ts";

// The guard reads only these limits.
const limits = { headers: 5, headerBytes: 200 } as LimitsConfiguration;

/** Returns the verdict on a request: "ok", or the code of the refusal, with `close` if the connection ends. */
function verdictOn(
  headers: readonly (readonly [string, string])[],
  more: Partial<GuardedRequest> = {},
): string {
  const all = [["host", "gateway.example"], ...headers].filter(([, value]) => value !== "none");
  const byName: Record<string, string> = {};
  for (const [name = "", value = ""] of all) byName[name.toLowerCase()] ??= value;
  try {
    guardRequest(
      {
        method: "GET",
        url: "/",
        httpVersion: "1.1",
        headers: byName,
        rawHeaders: all.flat(),
        ...more,
      },
      limits,
    );
    return "ok";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { connection } = error.details.headers ?? {};
    return `${error.code}${connection === undefined ? "" : ` ${connection}`}`;
  }
}

const INVALID = "INVALID_REQUEST close";

describe("a request", () => {
  it("a request may have at most the configured number of headers", () => {
    const further = (count: number): readonly (readonly [string, string])[] =>
      Array.from({ length: count }, (_, number) => [`x-${number}`, "1"]);
    expect([4, 5].map((count) => verdictOn(further(count)))).toEqual(["ok", "HEADERS_TOO_LARGE"]);
  });

  it("the address and the headers of a request may have at most the configured number of bytes", () => {
    // The name and the value of the Host header also count as bytes of the headers.
    const url = (bytes: number): string => `/${"x".repeat(bytes - 1)}`;
    const rest = 200 - "hostgateway.example".length;
    expect(verdictOn([], { url: url(rest) })).toBe("ok");
    expect(verdictOn([], { url: url(rest + 1) })).toBe("HEADERS_TOO_LARGE");
    expect(verdictOn([["x", ""]], { url: url(rest) })).toBe("HEADERS_TOO_LARGE");
  });

  it.each(["host", "authorization", "content-type", "idempotency-key", "x-sandbox-scenario"])(
    "the gateway refuses a request with two headers of a name that must be unique, regardless of capitals: %s",
    (name) => {
      const twice = [
        [name, "gateway.example"],
        [name.toUpperCase(), "gateway.example"],
      ] as const;
      expect(verdictOn(name === "host" ? twice.slice(1) : twice)).toBe(INVALID);
    },
  );

  it.each<[string, string, Partial<GuardedRequest>]>([
    ["GET", "ok", {}],
    ["DELETE", "ok", { method: "DELETE" }],
    ["HEAD", "ok", { method: "HEAD" }],
    ["TRACE", "METHOD_NOT_ALLOWED", { method: "TRACE" }],
    ["HTTP/1.0", "ok", { httpVersion: "1.0" }],
    ["HTTP/2.0", INVALID, { httpVersion: "2.0" }],
    ["an absolute address", "ok", { url: "http://gateway.example/a" }],
    ["an absolute address in capital letters", "ok", { url: "HTTP://GATEWAY.example/a" }],
    ["an absolute address of another host", INVALID, { url: "http://other.example/a" }],
    ["no address", INVALID, { url: "" }],
    ["a fragment", INVALID, { url: "/a#b" }],
  ])(
    "the gateway refuses an unsupported method, an unsupported HTTP version and an ambiguous address: the result for %s is %s",
    (_, verdict, more) => {
      expect(verdictOn([], more)).toBe(verdict);
    },
  );

  it("a request may repeat a header whose name need not be unique", () => {
    expect(
      verdictOn([
        ["accept", "a/b"],
        ["accept", "c/d"],
      ]),
    ).toBe("ok");
  });

  it.each([
    ["none", "1.1", INVALID],
    ["none", "1.0", "ok"],
    ["gateway.example:8080", "1.1", "ok"],
    ["gateway.example:", "1.1", "ok"],
    ["gateway.example:123456", "1.1", INVALID],
    ["[::1]:8080", "1.1", "ok"],
    ["[::1", "1.1", INVALID],
    ["a,b", "1.1", INVALID],
    ["user@gateway.example", "1.0", INVALID],
    ["", "1.1", INVALID],
  ])(
    "a request needs exactly one valid host: the result for hosts %j in HTTP/%s is %s",
    (host, httpVersion, verdict) => {
      const headers = host === "none" ? {} : { host };
      const rawHeaders = host === "none" ? [] : ["host", host];
      expect(verdictOn([], { headers, rawHeaders, httpVersion })).toBe(verdict);
    },
  );

  it.each([
    ["transfer-encoding", "chunked", "1.1", "ok"],
    ["transfer-encoding", "Chunked", "1.1", "ok"],
    ["transfer-encoding", "chunked", "1.0", INVALID],
    ["transfer-encoding", "gzip, chunked", "1.1", INVALID],
    ["upgrade", "h2c", "1.1", INVALID],
  ])(
    "the gateway refuses every transfer coding except chunked, and every upgrade: the result for %s: %s in HTTP/%s is %s",
    (name, value, httpVersion, verdict) => {
      expect(verdictOn([[name, value]], { httpVersion })).toBe(verdict);
    },
  );
});

describe("a request target", () => {
  it.each([
    ["/a/b?c=d", { authority: null, path: "/a/b", search: "c=d" }],
    ["/?", { authority: null, path: "/", search: "" }],
    ["https://a.example", { authority: "a.example", path: "/", search: "" }],
    ["https://a.example?b", { authority: "a.example", path: "/", search: "b" }],
    ["?a", null],
    ["*", null],
    ["a.example:443", null],
    ["ftp://a.example/", null],
    ["/a b", null],
    ["/a\\b", null],
    ["/a\u007fb", null],
    ["/a\u0001b", null],
    ["/a#b", null],
    ["/ä", null],
  ])(
    "the gateway reads the authority, the path and the query of a request target, or refuses the target: %j",
    (target, expected) => {
      expect(splitTarget(target)).toEqual(expected);
    },
  );

  const encoded = (text: string, times: number): string =>
    times === 0 ? text : encoded(text.replaceAll("%", "%25"), times - 1);
  it.each([
    ["/a/b.c/..d/...", true],
    ["/a//b", false],
    ["/a/./b", false],
    ["/a/..", false],
    ["/%2e%2E/a", false],
    ["/a%2Fb", false],
    ["/a%5cb", false],
    ["/a%00b", false],
    ["/a%7F", false],
    ["/a%20b", true],
    ["/%zz", true],
    [`/${encoded("%2e%2e", 1)}`, false],
    [`/${encoded("%2f", 2)}`, false],
    [`/${encoded("%2f", 3)}`, true],
  ])(
    "the gateway refuses a path that servers could read in different ways: %s is %s",
    (path, isClear) => {
      const target = splitTarget(`${path}?a=//`) ?? { path: "" };
      if (isClear) expect(pathOf(target)).toBe(path);
      else expect(() => pathOf(target)).toThrow(/INVALID_REQUEST/);
    },
  );

  it.each([
    ["a=b", "a=b"],
    ["a=%CE%B1", "a=%CE%B1"],
    ["?a=b", "%3Fa=b"],
    ["a=?b", "a=?b"],
    ["a=%", null],
    ["a=%FF", null],
  ])(
    "the gateway accepts a query only in percent-encoded UTF-8: query %j is read as %j",
    (search, expected) => {
      const target = splitTarget(`/a?${search}`) ?? { search: "" };
      if (expected === null) expect(() => searchOf(target)).toThrow(/percent-encoded UTF-8/);
      else expect(searchOf(target)).toBe(expected);
    },
  );
});
