import {
  type Document,
  document,
  type Endpoint,
  none,
  pdf,
  type Read,
  read,
  type Search,
  search,
} from "@insurance-gateway/core/contract";
import { loose, strict, string, zodSchema } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { jsonAnswer, type SandboxRoute } from "../../src/sandbox/index.ts";
import {
  type Claim,
  claim,
  provider,
  readBy,
  readClaim,
  routeOf,
  routesOf,
  type Sent,
  texts,
  writtenBy,
} from "./published-routes.ts";

interface PageOfClaims {
  readonly items: Claim[];
}
interface CursorQuery {
  readonly cursor?: string;
  readonly tag?: string[];
}
const linkedClaims: Search<{ query: CursorQuery; item: Claim; page: PageOfClaims }> = search({
  provider,
  path: "/claims",
  query: strict<CursorQuery>({
    cursor: z.exactOptional(string()),
    tag: z.exactOptional(texts),
  }),
  page: loose<PageOfClaims>({ items: z.array(z.looseObject({ claimId: string() })) }),
  paging: { style: "link", position: "cursor", size: { usual: 2 }, items: "/items" },
});
const downloadTerms: Document<Record<never, never>> = document({
  provider,
  path: "/terms",
  files: [pdf],
});

describe("an answer of a simulated insurer with an imported OpenAPI document", () => {
  const content = new Uint8Array([1, 2]);
  const answering = (response: Endpoint["response"]): SandboxRoute =>
    routeOf({ ...readClaim, response });

  it("the simulated insurer writes a file with the file's own media type, or with the declared media type if the file has none", () => {
    const route = routeOf(downloadTerms);
    expect(writtenBy(route, { status: 200, file: content })).toEqual({
      status: 200,
      headers: { "content-type": "application/pdf" },
      body: content,
    });
    const headers = { etag: '"1"' };
    expect(
      writtenBy(route, { status: 203, headers, file: content, mediaType: "image/png" }),
    ).toEqual({
      status: 203,
      headers: { etag: '"1"', "content-type": "image/png" },
      body: content,
    });
  });

  it("the simulated insurer writes a refusal as application/problem+json", () => {
    const problem = { code: "CONFLICT", detail: "It exists." };
    const answer = writtenBy(routeOf(readClaim), { status: 409, headers: { a: "b" }, problem });
    expect(answer).toEqual({
      status: 409,
      headers: { a: "b", "content-type": "application/problem+json" },
      body: '{"title":"CONFLICT","status":409,"code":"CONFLICT","detail":"It exists."}',
    });
  });

  it("the simulated insurer writes an answer without a body", () => {
    expect(
      writtenBy(answering({ 204: none }), { status: 204, headers: { a: "b" }, body: undefined }),
    ).toEqual({ status: 204, headers: { a: "b" } });
  });

  it.each<[string, Endpoint["response"], number, unknown, string, string]>([
    [
      "64-bit numbers as JSON numbers",
      { 200: claim },
      200,
      { claimId: "C", serial: "9007199254740993" },
      "application/json",
      '{"claimId":"C","serial":9007199254740993}',
    ],
    [
      "JSON with the declared JSON type even if another type is declared first",
      {
        200: { media: { "text/plain": zodSchema(string()), "application/hal+json": claim } },
      },
      200,
      { claimId: "C" },
      "application/hal+json",
      '{"claimId":"C"}',
    ],
    [
      "a text with the declared type",
      { 200: { media: { "text/csv": zodSchema(string()) } } },
      200,
      "a;b",
      "text/csv; charset=utf-8",
      "a;b",
    ],
    [
      "JSON for an undeclared status",
      { 200: claim },
      202,
      { serial: "5" },
      "application/json; charset=utf-8",
      '{"serial":"5"}',
    ],
  ])(
    "the simulated insurer writes an answer by its declared media type: %s",
    (_, response, status, body, type, text) => {
      expect(writtenBy(answering(response), { status, headers: { a: "b" }, body })).toEqual({
        status,
        headers: { a: "b", "content-type": type },
        body: text,
      });
    },
  );

  it("the simulated insurer writes the link to the next page with the insurer's path and parameter names", () => {
    const route = routeOf(linkedClaims, {
      path: "/v2/claims",
      query: { cursor: { name: "after" } },
    });
    const sent = { search: "tag=a&tag=b&after=1" };
    const linkIn = (link: string, from: SandboxRoute): unknown =>
      writtenBy(from, { status: 200, headers: { link, a: "b" }, body: {} }, sent).headers;
    const type = { "content-type": "application/json" };
    expect(linkIn('</claims?tag=a&cursor=x%26y>; rel="next"', route)).toEqual({
      ...type,
      a: "b",
      link: '</own/path?tag=a&tag=b&after=x%26y>; rel="next"',
    });
    expect(linkIn('</claims?tag=a>; rel="next"', routeOf(linkedClaims))).toEqual({
      ...type,
      a: "b",
      link: '</own/path?tag=a&tag=b&after=1&cursor=>; rel="next"',
    });
    expect(linkIn('</claims>; rel="next"', route)).toEqual({
      ...type,
      a: "b",
      link: '</claims>; rel="next"',
    });
  });
});

describe("the routes of a simulated insurer with an imported OpenAPI document", () => {
  interface Versions {
    readonly policy: string;
    readonly from: string;
    readonly to: string;
  }
  interface Version {
    readonly id: string;
    readonly version: string;
  }
  const compareVersions: Read<{ params: Versions; response: Claim }> = read({
    provider,
    path: "/policies/{policy}/compare/{from}/{to}",
    params: strict<Versions>({ policy: string(), from: string(), to: string() }),
    response: { 200: claim },
  });
  const readVersion: Read<{ params: Version; response: Claim }> = read({
    provider,
    path: "/contracts/{id}/compare/{version}",
    params: strict<Version>({ id: string(), version: string() }),
    response: { 200: { media: { "application/hal+json": claim } } },
  });
  const calls = {
    compareVersions: { path: "/policies/{policy}/compare/{from}...{to}" },
    readVersion: { path: "/policies/{id}/compare/{version}" },
    sumVersions: { path: "/policies/{policy}/compare/{from}+{to}" },
  };
  const sumVersions: Endpoint = { ...compareVersions, path: "/policies/{policy}/sum/{from}/{to}" };

  it("a simulated insurer has no route for an endpoint if the insurer's path is not a valid path template", () => {
    const odd = { compareVersions: { path: "/policies/*/{policy}" } };
    expect(routesOf({ compareVersions }, odd)).toEqual([]);
    expect(routesOf({ compareVersions, readVersion }, odd).map(({ path }) => path)).toEqual([
      "/contracts/{id}/compare/{version}",
    ]);
  });

  it.each([
    ["first", { compareVersions, readVersion }],
    ["last", { readVersion, compareVersions }],
  ])(
    "endpoints that a router cannot distinguish share one route, which prefers the more specific path, declared %s",
    (_, endpoints) => {
      const [route, ...others] = routesOf(endpoints, calls);
      if (route === undefined) throw new TypeError("There is no route");
      expect(others).toEqual([]);
      expect([route.method, route.path]).toEqual(["GET", "/policies/{id}/compare/{version}"]);
      const joined = { params: { id: "P-1", version: "2025...2026" } };
      const plain = { params: { id: "P-1", version: "2026" } };
      expect([readBy(route, joined), readBy(route, plain)]).toEqual([
        {
          call: {
            endpoint: "compareVersions",
            input: { params: { policy: "P-1", from: "2025", to: "2026" }, query: {}, headers: {} },
          },
        },
        {
          call: {
            endpoint: "readVersion",
            input: { params: { id: "P-1", version: "2026" }, query: {}, headers: {} },
          },
        },
      ]);
      const typeOf = (sent: Sent): unknown =>
        writtenBy(route, { status: 200, body: {} }, sent).headers;
      expect([typeOf(joined), typeOf(plain)]).toEqual([
        { "content-type": "application/json" },
        { "content-type": "application/hal+json" },
      ]);
    },
  );

  it("a route that several endpoints share answers with 404 if no endpoint has a path of the requested form", () => {
    const [route] = routesOf({ compareVersions, sumVersions }, calls);
    if (route === undefined) throw new TypeError("There is no route");
    const [policy = "", segment = ""] = [...route.path.matchAll(/\{([^}]+)\}/g)].map(
      ([, name]) => name,
    );
    const callOf = (text: string): unknown =>
      readBy(route, { params: { [policy]: "P-1", [segment]: text } });
    const input = { params: { policy: "P-1", from: "1", to: "2" }, query: {}, headers: {} };
    expect([callOf("1...2"), callOf("1+2"), callOf("1-2")]).toEqual([
      { call: { endpoint: "compareVersions", input } },
      { call: { endpoint: "sumVersions", input } },
      { answer: jsonAnswer(404, { detail: "There is no such path." }) },
    ]);
    expect(writtenBy(route, { status: 200, body: {} }, { params: {} })).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json" },
      body: "{}",
    });
  });
});
