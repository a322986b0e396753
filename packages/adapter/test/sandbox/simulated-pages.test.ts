import { defineProvider, type Endpoint, type Paging } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { integer, list, loose, page, strict, string } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { simulated } from "../../src/sandbox/index.ts";

const provider = "provider-s";

interface Item {
  readonly id: string;
  readonly name?: string;
  readonly city?: string;
}
const item = loose<Item>({
  id: string(),
  name: z.exactOptional(string()),
  city: z.exactOptional(string()),
});
const query = strict<{ tag?: string }>({ tag: z.exactOptional(string()) });
const [a, b, c] = ["a", "b", "c"].map((id) => ({ id, name: `Name ${id}`, city: "Athens" }));

const searchItems: Endpoint = {
  kind: "search",
  method: "GET",
  provider,
  path: "/items",
  query,
  response: { 200: page(item) },
};

interface Searching {
  /** The properties in which the search differs from a search by `start` and `limit`. */
  readonly change?: Partial<Endpoint>;
  /** The pages in the examples. */
  readonly pages?: readonly unknown[];
  /** The stored answers of submissions, oldest first; undefined for a removal. */
  readonly stored?: readonly unknown[];
}

const usual = { items: [a, b], start: 1, limit: 20, total: 2 };
const last = { items: [b, c], start: 1, limit: 20, total: 2 };

/** Calls a simulated search. */
function search(
  input: Partial<CheckedInput>,
  { change = {}, pages = [usual, last], stored = [] }: Searching = {},
): unknown {
  const endpoints = { searchItems: { ...searchItems, ...change } };
  const declared = defineProvider({ id: provider, name: "S", lines: ["motor"], endpoints });
  const examples = pages.map((response, index) => [`page${index}`, { request: {}, response }]);
  const { handlers } = simulated(declared, { searchItems: Object.fromEntries(examples) });
  const request = {
    input: { params: {}, query: {}, headers: {}, body: undefined, ...input },
    scenario: null,
  };
  const records = stored.map((body, index) => ({ id: `R-${index}`, endpoint: "create", body }));
  return handlers.searchItems?.(request, records, () => new Date(0));
}

/** Calls a simulated search with the given paging. `fields` are the schemas of the page's other fields. */
function paged(
  paging: Omit<Paging, "items">,
  input: Partial<CheckedInput>,
  fields: Readonly<Record<string, z.ZodMiniType>> = {},
  example: object = {},
): unknown {
  const shape = { items: list(z.looseObject({ id: string() })), ...fields };
  const schema = loose<Readonly<Record<string, unknown>>>(shape);
  const change: Partial<Endpoint> = {
    paging: { ...paging, items: "/items" },
    response: { 200: schema },
  };
  return search(input, { change, pages: [{ items: [a, b, c], ...example }] });
}

describe("a search of a simulated insurer", () => {
  it.each([
    [{}, { items: [a, b, c], start: 1, limit: 20, total: 3 }],
    [{ start: 2 }, { items: [b, c], start: 2, limit: 20, total: 3 }],
    [
      { start: 2, limit: 1 },
      { items: [b], start: 2, limit: 1, total: 3 },
    ],
    [
      { start: 1, limit: 2 },
      { items: [a, b], start: 1, limit: 2, total: 3 },
    ],
    [{ start: 4 }, { items: [], start: 4, limit: 20, total: 3 }],
    [{ start: 0 }, { items: [a, b, c], start: 1, limit: 20, total: 3 }],
    [{ start: 1.5 }, { items: [a, b, c], start: 1, limit: 20, total: 3 }],
  ])(
    "a simulated search returns a page of the items of all examples, without duplicates: query %j, page %j",
    (asked, body) => {
      expect(search({ query: asked })).toEqual({ status: 200, body, headers: {} });
    },
  );

  it("a simulated search lists the stored submissions, the newest first, before the items of the examples", () => {
    const old = { id: "old", name: "Old", city: "Patras" };
    const half = { id: "half", name: "Half" };
    const few = { id: "few", unknown: 1 };
    const odd = { id: 7, name: "Odd", city: "Patras" };
    const stored = [old, few, odd, undefined, half, b];
    expect(search({}, { stored })).toEqual({
      status: 200,
      body: { items: [b, half, old, a, c], start: 1, limit: 20, total: 5 },
      headers: {},
    });
  });

  it("a simulated search lists each stored answer that matches the item's schema if the examples have no item", () => {
    const empty = { items: [], start: 1, limit: 20, total: 0 };
    expect(search({}, { pages: [empty], stored: [{ id: "few" }, { name: "None" }] })).toEqual({
      status: 200,
      body: { items: [{ id: "few" }], start: 1, limit: 20, total: 1 },
      headers: {},
    });
  });

  it("a simulated search omits a stored answer that has only half of the fields of an item", () => {
    const pages = [{ ...usual, items: [{ ...a, more: 1 }] }];
    const stored = [
      { id: "two", name: "Two" },
      { id: "three", name: "Three", city: "" },
    ];
    expect(search({}, { pages, stored })).toMatchObject({ body: { total: 2 } });
  });

  it("a simulated search returns its example if the requested page would not match the schema", () => {
    const least = loose<{ items: Item[] }>({
      items: list(z.looseObject({ id: string() }), { minItems: 1 }),
    });
    const change = { response: { 200: least } };
    expect(search({ query: { start: 3, limit: 1 } }, { change })).toMatchObject({
      body: { items: [c], start: 3 },
    });
    expect(search({ query: { start: 4, limit: 1 } }, { change })).toEqual({
      status: 200,
      body: usual,
    });
  });

  it("a simulated search returns a text example unchanged, and an empty page for an example without a list", () => {
    const text = { media: { "text/plain": z.string() } };
    expect(search({}, { change: { response: { 200: text } }, pages: ["a;b"] })).toEqual({
      status: 200,
      body: "a;b",
    });
    const change = { response: { 200: loose<object>({}) } };
    expect(search({}, { change, pages: [{ items: "none" }] })).toEqual({
      status: 200,
      body: { items: [], start: 1, limit: 20, total: 0 },
      headers: {},
    });
  });
});

describe("the paging of a simulated search", () => {
  const size = { name: "size", usual: 2 };

  it.each([
    [{}, [a, b]],
    [{ page: 1 }, [c]],
    [{ page: 1, size: 1 }, [b]],
    [{ page: 2 }, []],
    [{ page: -1 }, [a, b]],
  ])("a simulated search can number the pages from 0: query %j", (asked, items) => {
    const paging = { style: "page", position: "page", from: 0, size } as const;
    expect(paged(paging, { query: asked })).toEqual({ status: 200, body: { items }, headers: {} });
  });

  it("a simulated search can number the pages from 1, and repeat the page, the size and the total in the answer", () => {
    const paging: Omit<Paging, "items"> = {
      style: "page",
      position: "/paging/page",
      size: { name: "/paging/size", usual: 2, echo: "/size" },
      echo: "/page",
      total: "/total",
    };
    const fields = { page: string(), size: integer(), total: string() };
    const example = { page: "9", size: 9, total: "9" };
    expect(paged(paging, { body: { paging: { page: 2 } } }, fields, example)).toEqual({
      status: 200,
      body: { items: [c], page: "2", size: 2, total: "3" },
      headers: {},
    });
    const asked = { body: { paging: { page: 1, size: 3 } } };
    expect(paged(paging, asked, { ...fields, total: integer() }, { ...example, total: 9 })).toEqual(
      {
        status: 200,
        body: { items: [a, b, c], page: "1", size: 3, total: 3 },
        headers: {},
      },
    );
    // The schema accepts no number for this total, so the total stays unchanged.
    expect(
      paged(paging, asked, { ...fields, total: z.literal("many") }, { ...example, total: "many" }),
    ).toMatchObject({ body: { total: "many" } });
  });

  it("a simulated search can page by the number of skipped items, with the total in a header", () => {
    const paging: Omit<Paging, "items"> = {
      style: "offset",
      position: "skip",
      size,
      total: { header: "x-total" },
    };
    expect(paged(paging, { query: { skip: 1, size: 1 } })).toEqual({
      status: 200,
      body: { items: [b] },
      headers: { "x-total": "3" },
    });
  });

  it.each([
    ["missing", z.exactOptional(string()), { cursor: "2" }, {}],
    ["null", z.nullable(string()), { cursor: "2" }, { cursor: null }],
    ["empty", string(), { cursor: "2" }, { cursor: "" }],
    ["null if cursors are numbers", z.nullable(integer()), { cursor: 2 }, { cursor: null }],
  ])(
    "a simulated search can page by cursors, and the cursor of the last page is %s",
    (_, cursor, first, end) => {
      const paging = { style: "cursor", position: "after", size, next: "/cursor" } as const;
      const example = { cursor: typeof first.cursor === "number" ? 9 : "9" };
      const fields = { cursor };
      expect(paged(paging, {}, fields, example)).toEqual({
        status: 200,
        body: { items: [a, b], ...first },
        headers: {},
      });
      expect(paged(paging, { query: { after: "2" } }, fields, example)).toEqual({
        status: 200,
        body: { items: [c], ...end },
        headers: {},
      });
    },
  );

  it("a simulated search can return the next page's cursor in a header", () => {
    const next = { header: "x-next" };
    const paging = { style: "cursor", position: "after", size, next } as const;
    expect(paged(paging, { query: { after: "1", size: 1 } })).toEqual({
      status: 200,
      body: { items: [b] },
      headers: { "x-next": "2" },
    });
    expect(paged(paging, { query: { after: "1" } })).toEqual({
      status: 200,
      body: { items: [b, c] },
      headers: {},
    });
    expect(paged(paging, { query: { after: "none" } })).toMatchObject({ body: { items: [a, b] } });
  });

  it("a simulated search can name the next page in a Link header", () => {
    const paging = { style: "link", position: "after", size } as const;
    expect(paged(paging, { query: { tag: "a&b" } })).toEqual({
      status: 200,
      body: { items: [a, b] },
      headers: { link: '</items?tag=a%26b&after=2>; rel="next"' },
    });
    expect(paged(paging, { query: { tag: "a", after: "2" } })).toEqual({
      status: 200,
      body: { items: [c] },
      headers: {},
    });
  });
});
