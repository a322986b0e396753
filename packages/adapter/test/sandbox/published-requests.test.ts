import type { Endpoint } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import type { PublishedCall } from "../../src/index.ts";
import { readBy, readClaim, routeOf } from "./published-routes.ts";

const readCall: PublishedCall = {
  path: "/v2/claims/{claimId}/of/{tenant}",
  query: {
    ids: { name: "id", style: "pipes" },
    tags: { style: "spaces" },
    period: { style: "fields" },
    area: { name: "where", style: "json" },
    filter: { name: "f" },
    plain: { name: "p" },
  },
  headers: { "x-agent": "agent-code" },
  cookies: { "x-session": "session" },
};

describe("a request to an insurer whose interface was published", () => {
  const route = routeOf(readClaim, readCall);

  it("has the insurer's method and path", () => {
    expect([route.method, route.path]).toEqual(["GET", "/v2/claims/{claimId}/of/{tenant}"]);
  });

  it("is read with the insurer's names and formats", () => {
    const query: [string, string][] = [
      ["id", "1|2"],
      ["tags", "a b"],
      ["words", "one"],
      ["words", "two"],
      ["from", "2026"],
      ["where", '{"city":"Athens","code":5}'],
      ["f[a]", "x"],
      ["p", "y"],
      ["other", "z"],
    ];
    expect(
      readBy(route, {
        params: { claimId: "C-1", tenant: "acme" },
        search: new URLSearchParams(query).toString(),
        headers: {
          "agent-code": "7",
          "x-agent": "8",
          "x-session": "none",
          "x-plain": "p",
          cookie: "a=b; session=%CE%A9%3Dx=y ;last",
        },
      }),
    ).toEqual({
      call: {
        endpoint: "declared",
        input: {
          params: { claimId: "C-1" },
          query: {
            ids: ["1", "2"],
            tags: ["a", "b"],
            words: ["one", "two"],
            period: { from: "2026" },
            area: { city: "Athens", code: "5" },
            filter: { a: "x" },
            plain: "y",
          },
          headers: { "x-agent": "7", "x-session": "Ω=x=y ", "x-plain": "p" },
        },
      },
    });
  });

  it.each([
    ["nothing", {}, {}, {}],
    ["the public names", { search: "ids=1&plain=x&filter[a]=b" }, {}, {}],
    ["a text that is no JSON", { search: "where=%7B" }, {}, {}],
    ["a cookie that is not encoded", { headers: { cookie: "session=100%" } }, {}, "100%"],
    ["an empty cookie", { headers: { cookie: "session" } }, {}, ""],
    ["an empty list", { search: "tags=" }, { tags: [""] }, {}],
    [
      "one of several fields",
      { search: "to=2027&f[b]=1" },
      { period: { to: "2027" }, filter: { b: "1" } },
      {},
    ],
  ])(
    "a request to a published interface with %s has only the given values",
    (_, sent, query, session) => {
      const headers = typeof session === "string" ? { "x-session": session } : {};
      expect(readBy(route, { params: { claimId: "C-1" }, ...sent })).toEqual({
        call: { endpoint: "declared", input: { params: { claimId: "C-1" }, query, headers } },
      });
    },
  );

  it("a request to an endpoint without parameters has none", () => {
    const plain: Endpoint = { ...readClaim, path: "/plain" };
    const { headers: _, params: __, query: ___, ...bare } = plain;
    const sent = { search: "plain=x", headers: { "x-agent": "7" } };
    expect(readBy(routeOf(bare), sent)).toEqual({
      call: { endpoint: "declared", input: { params: {}, query: {}, headers: {} } },
    });
  });
});
