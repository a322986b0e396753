import type { Endpoint, Paging } from "@insurance-gateway/core/contract";
import { headersOfPage } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { jsonDialect } from "../src/index.ts";
import { callOffline } from "./harness/call-offline.ts";
import { providerWith, searchPolicies } from "./harness/declarations.ts";

const size = { usual: 10 };
const linked: Paging = {
  style: "link",
  position: "cursor",
  items: "/items",
  total: { header: "x-total" },
  size,
};
const named: Paging = { style: "cursor", position: "cursor", items: "/items", next: "/next", size };

function headersOf(paging: Paging, headers: Readonly<Record<string, string>>, value: object = {}) {
  const endpoint: Endpoint = { ...searchPolicies, paging };
  const query = { line: ["motor", "life"], afm: "123456789" };
  return headersOfPage(endpoint, { query }, { headers, value: { items: [], ...value } });
}

describe("the cursor of a Link header", () => {
  it.each([
    ["the complete address of the next page", '<https://x.example/p?cursor=a>; rel="next"', "a"],
    ["an encoded cursor", '</p?cursor=a%26b>; rel="next"', "a&b"],
    [
      "an address with the parameters of the same search",
      '</p?line=life&afm=123456789&cursor=a>; rel="next"',
      "a",
    ],
    ["an address with a fragment", '</p?cursor=a#top>; rel="next"', "a"],
    [
      "the link `next` after a link `prev`",
      '</p?cursor=z>; rel="prev", </p?cursor=a>; rel="next"',
      "a",
    ],
    ["a link with several relations", '</p?cursor=a>; rel="last Next"', "a"],
    ["a relation without quotation marks", "</p?cursor=a>; title=x; rel=next, </q>; rel=up", "a"],
    [
      "unusable, a search parameter with another value",
      '</p?afm=987654321&cursor=a>; rel="next"',
      null,
    ],
    ["unusable, an additional parameter", '</p?page=2&cursor=a>; rel="next"', null],
    ["unusable, two cursors", '</p?cursor=a&cursor=b>; rel="next"', null],
    ["unusable, an empty cursor", '</p?cursor=>; rel="next"', null],
    ["unusable, no cursor", '</p?afm=123456789>; rel="next"', null],
    ["unusable, an address without a query", '</p>; rel="next"', null],
  ])(
    "the cursor of a Link header is used only if the link continues the same search: %s",
    (_, link, cursor) => {
      expect(headersOf(linked, { link, "x-total": "7", "next-cursor": "own" })).toEqual(
        cursor === null ? null : { "x-total": "7", "next-cursor": cursor },
      );
    },
  );

  it.each(["", '</p?cursor=a>; rel="prev"', '</p?cursor=a>; rel="nextpage"', "</p?cursor=a>"])(
    "a Link header without an address of the next page marks the last page: %j",
    (link) => {
      const total = { "x-total": "7" };
      expect(headersOf(linked, { link, ...total, "next-cursor": "own" })).toEqual(total);
    },
  );
});

describe("a cursor in the body of an answer", () => {
  it.each([
    ["c", true],
    ["", true],
    ["a:b//c", true],
    ["https://x.example/p?cursor=c", false],
    ["HTTP://x.example", false],
    ["git+ssh://x.example", false],
  ])(
    "the adapter passes on an insurer's cursor only if the cursor is not an address: %j, passed on: %s",
    (next, isUsable) => {
      expect(headersOf(named, { "x-other": "1" }, { next })).toEqual(isUsable ? {} : null);
    },
  );
});

it("the answer to a search with declared `paging` has the declared paging headers", async () => {
  const search: Endpoint = { ...searchPolicies, paging: linked };
  const adapter = jsonDialect(providerWith({ search }), {
    failures: [],
    calls: { search: { method: "GET", path: "/policies", value: [] } },
  });
  const headers = { "x-total": "7", link: '</p?cursor=a>; rel="next"', "x-other": "1" };
  const { answer } = await callOffline(adapter, search, {}, { headers });
  expect(answer).toMatchObject({ headers: { "x-total": "7", "next-cursor": "a" } });
});
