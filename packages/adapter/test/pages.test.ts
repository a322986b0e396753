import { defineProvider, type Endpoint, type Paging } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { type Adapter, type AdapterAnswer, jsonDialect, type PageMapping } from "../src/index.ts";
import { searchPolicies } from "./harness/declarations.ts";

const pages: PageMapping = {
  style: "page",
  from: 1,
  most: 50,
  items: "/policies",
  each: [["/policyId", "/policyId"]],
  total: "/count",
};
const paging: Paging = {
  style: "cursor",
  position: "after",
  size: { usual: 20 },
  items: "/items",
  total: { header: "x-total-count" },
  next: { header: "x-next" },
};

/** Creates an adapter that reads a search with the given rows. */
function adapterWith(
  rows: { readonly pages: PageMapping } | { readonly value: [] },
  search: Endpoint = searchPolicies,
): Adapter {
  const provider = defineProvider({
    id: "provider-m",
    name: "Provider M",
    lines: ["motor"],
    endpoints: { searchPolicies: search },
  });
  const query = [["/page/position", "/page"]] as const;
  return jsonDialect(provider, {
    failures: [],
    calls: {
      searchPolicies: {
        method: "GET",
        path: "/policies",
        ...("pages" in rows ? { query } : {}),
        ...rows,
      },
    },
  });
}

/** Calls a search; the insurer returns the given pages in turn. */
async function answerOf(
  adapter: Adapter,
  answers: readonly object[],
  search: Endpoint = searchPolicies,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: AdapterAnswer; readonly asked: number }> {
  let asked = 0;
  const answer = await adapter.call(
    search,
    { params: {}, query: { limit: 100 }, headers: {}, body: undefined },
    async () => {
      const text = JSON.stringify(answers[asked]);
      asked += 1;
      return {
        status: 200,
        headers,
        mediaType: "application/json",
        text: async () => text,
        textWithDocuments: () => Promise.reject(new TypeError("It has no documents")),
        bytes: async () => new Uint8Array(),
        async *stream() {
          yield new Uint8Array();
        },
      };
    },
    {
      submissionId: null,
      settings: {},
      login: null,
      now: () => new Date(0),
      wait: async () => true,
    },
  );
  return { answer, asked };
}

function policies(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({ policyId: `P-${index}` }));
}

describe("the `pages` of a dialect", () => {
  it.each<[string, Partial<PageMapping>, Partial<Endpoint>, string]>([
    [
      "for a search with its own `paging`",
      {},
      { paging },
      "`pages` must be on a search by `start`",
    ],
    [
      "that collect a complete list for a search",
      { whole: { queries: 2, at: "/items" } },
      {},
      "`pages.whole` must be on",
    ],
    ["of fewer than 50 items", { most: 49 }, {}, "`pages.most` must be 50 or more"],
  ])(
    "an adapter cannot be created with a dialect that declares `pages` %s",
    (_, change, more, fault) => {
      expect(() =>
        adapterWith({ pages: { ...pages, ...change } }, { ...searchPolicies, ...more }),
      ).toThrow(`The adapter of provider-m: searchPolicies: ${fault}`);
    },
  );

  it("the adapter requests a second page if the insurer's first page is full and reports a total equal to the page's number of items", async () => {
    const full = { policies: policies(50), count: 50 };
    const { answer, asked } = await answerOf(adapterWith({ pages }), [
      full,
      { policies: [], count: 50 },
    ]);
    expect(asked).toBe(2);
    expect(answer).toMatchObject({ type: "value", value: { total: 50 } });
  });

  it("the adapter reports a list as unreadable if the insurer's total in each full page is only the page's number of items", async () => {
    const { answer } = await answerOf(adapterWith({ pages }), [
      { policies: policies(50), count: 50 },
      { policies: policies(50), count: 50 },
    ]);
    expect(answer).toMatchObject({ type: "unreadable" });
  });
});

it("the answer to a search with declared `paging` has the declared paging headers", async () => {
  const search = { ...searchPolicies, paging };
  const headers = { "x-total-count": "7", "x-next": "abc", "x-other": "1" };
  const { answer } = await answerOf(adapterWith({ value: [] }, search), [{}], search, headers);
  expect(answer).toMatchObject({ headers: { "x-total-count": "7", "x-next": "abc" } });
});
