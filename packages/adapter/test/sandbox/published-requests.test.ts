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

describe("a request to a simulated insurer with an imported OpenAPI document", () => {
  const route = routeOf(readClaim, readCall);

  it("the route of an endpoint has the insurer's method and path", () => {
    expect([route.method, route.path]).toEqual(["GET", "/v2/claims/{claimId}/of/{tenant}"]);
  });

  it("the simulated insurer reads parameters by the insurer's own names and formats", () => {
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
    ["no parameters", {}, {}, {}],
    [
      "the declared names in place of the insurer's",
      { search: "ids=1&plain=x&filter[a]=b" },
      {},
      {},
    ],
    ["a JSON parameter that is not JSON", { search: "where=%7B" }, {}, {}],
    ["a cookie that is not encoded", { headers: { cookie: "session=100%" } }, {}, "100%"],
    ["an empty cookie", { headers: { cookie: "session" } }, {}, ""],
    ["an empty list", { search: "tags=" }, { tags: [""] }, {}],
    [
      "one field of an object",
      { search: "to=2027&f[b]=1" },
      { period: { to: "2027" }, filter: { b: "1" } },
      {},
    ],
  ])(
    "the simulated insurer reads only the parameters that a request has under the insurer's names: %s",
    (_, sent, query, session) => {
      const headers = typeof session === "string" ? { "x-session": session } : {};
      expect(readBy(route, { params: { claimId: "C-1" }, ...sent })).toEqual({
        call: { endpoint: "declared", input: { params: { claimId: "C-1" }, query, headers } },
      });
    },
  );

  it("the simulated insurer ignores parameters that the endpoint does not declare", () => {
    const plain: Endpoint = { ...readClaim, path: "/plain" };
    const { headers: _, params: __, query: ___, ...bare } = plain;
    const sent = { search: "plain=x", headers: { "x-agent": "7" } };
    expect(readBy(routeOf(bare), sent)).toEqual({
      call: { endpoint: "declared", input: { params: {}, query: {}, headers: {} } },
    });
  });
});
