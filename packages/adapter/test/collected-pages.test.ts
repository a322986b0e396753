import { type Endpoint, type Lookup, lookup } from "@insurance-gateway/core/contract";
import { usualPaging } from "@insurance-gateway/core/runtime";
import { list, loose, string } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  type Adapter,
  type InsurerRequest,
  jsonDialect,
  type PageMapping,
  plainText,
} from "../src/index.ts";
import { callOffline, type OfflineCall } from "./harness/call-offline.ts";
import { providerWith, searchPolicies } from "./harness/declarations.ts";

interface Brands {
  readonly list: { readonly names: string[] };
}
const listBrands: Lookup<{ response: Brands }> = lookup({
  provider: "provider-m",
  path: "/brands",
  response: { 200: loose<Brands>({ list: z.looseObject({ names: list(string()) }) }) },
});

const rows: PageMapping = {
  style: "page",
  from: 1,
  most: 50,
  items: "/found",
  each: [["/policyId", "/id", plainText]],
  total: "/count",
};

/** An insurer's page: its items, the total number of items, and the ETag header. */
interface InsurerPage {
  readonly found: unknown;
  readonly count?: unknown;
  readonly etag?: string;
}

interface Collected extends OfflineCall {
  /** The position and the size of the page in each request to the insurer, such as `2:20 3:20`. */
  readonly asked: string;
}

const numbersIn = ({ path }: InsurerRequest): readonly number[] =>
  [...new URLSearchParams(path.split("?")[1]).values()].map(Number);

/** Creates the adapter of an endpoint that collects its list from an insurer's pages. */
function collectingAdapter(endpoint: Endpoint, pages: PageMapping, more: object = {}): Adapter {
  const query = [
    ["/page/position", "/page"],
    ["/page/size", "/size"],
  ] as const;
  return jsonDialect(providerWith({ endpoint }), {
    failures: [],
    calls: { endpoint: { method: "GET", path: "/list", query, pages, ...more } },
  });
}

/** Calls an endpoint that collects its list from an insurer's pages. The function `pageOf` creates these pages. */
async function collected(
  endpoint: Endpoint,
  pages: PageMapping,
  query: Readonly<Record<string, unknown>>,
  pageOf: (page: number, size: number) => InsurerPage,
  more: object = {},
): Promise<Collected> {
  const adapter = collectingAdapter(endpoint, pages, more);
  const called = await callOffline(adapter, endpoint, { query }, (request) => {
    const [page = 0, size = 0] = numbersIn(request);
    const { etag, ...body } = pageOf(page, size);
    return { headers: etag === undefined ? {} : { etag }, text: JSON.stringify(body) };
  });
  return { ...called, asked: called.sent.map((request) => numbersIn(request).join(":")).join(" ") };
}

const idsFrom = (first: number, last: number): readonly string[] =>
  Array.from({ length: Math.max(0, last - first) }, (_, index) => `P-${first + index}`);

/** Returns the insurer's items between two positions of its list. */
const itemsFrom = (first: number, last: number): readonly object[] =>
  idsFrom(first, last).map((id) => ({ id }));

/** Returns a function that creates the pages of an insurer's list of `length` items. */
function pagesOf(
  length: number,
  { style, from }: Pick<PageMapping, "style" | "from">,
): (page: number, size: number) => InsurerPage {
  return (page, size) => {
    const first = style === "page" ? (page - from) * size : page - from;
    return { found: itemsFrom(first, Math.min(length, first + size)), count: length };
  };
}

describe("a page that is collected from an insurer's pages", () => {
  it.each<
    [Readonly<Record<string, unknown>>, number, Partial<PageMapping>, string, number, number]
  >([
    [{}, 7, {}, "1:20", 0, 7],
    [{ start: 1, limit: 20 }, 20, {}, "1:20", 0, 20],
    [{ start: 21, limit: 20 }, 90, {}, "2:20", 20, 40],
    [{ start: 31, limit: 20 }, 90, {}, "2:20 3:20", 30, 50],
    [{ start: 2, limit: 20 }, 21, {}, "1:20 2:20", 1, 21],
    [{ start: 26, limit: 100 }, 500, {}, "1:50 2:50 3:50", 25, 125],
    [{ start: 101, limit: 100 }, 500, { from: 0 }, "2:50 3:50", 100, 200],
    [{ start: 31, limit: 20 }, 90, { style: "offset", from: 0 }, "30:20", 30, 50],
    [{ start: 31, limit: 70 }, 90, { style: "offset", from: 1 }, "31:50 81:50", 30, 90],
    [{ start: 31, limit: 20 }, 7, { style: "offset", from: 0 }, "30:20", 30, 30],
    [{ start: 1, limit: 1 }, 3, {}, "1:1", 0, 1],
    // The total may be only the number of items of the full first page, so the adapter requests a second page.
    [{ start: 1, limit: 100 }, 50, {}, "1:50 2:50", 0, 50],
  ])(
    "the adapter collects the gateway's page from the insurer's pages that contain the requested items: query %j, %i items, paging %j",
    async (query, length, change, asked, first, last) => {
      const pages = { ...rows, ...change };
      const found = await collected(searchPolicies, pages, query, pagesOf(length, pages));
      expect(found.asked).toBe(asked);
      expect(found.answer).toEqual({
        type: "value",
        status: 200,
        value: {
          items: idsFrom(first, last).map((policyId) => ({ policyId })),
          start: 1,
          limit: 20,
          ...query,
          total: length,
        },
      });
    },
  );

  it("the adapter returns a collected page with the status of the dialect's mapping, and reports the expected form of each insurer's page", async () => {
    const found = await collected(searchPolicies, rows, {}, pagesOf(1, rows), {
      status: 203,
      unread: ["/more"],
    });
    expect(found.answer).toMatchObject({ type: "value", status: 203 });
    expect(found.decoded).toEqual([
      {
        content: { found: [{ id: "P-0" }], count: 1 },
        form: {
          type: "mapped",
          status: 203,
          mapping: {},
          unread: ["/more"],
          rows: [{ list: ["/items", "/found"], each: rows.each }],
          beside: [{ at: "/count", required: true }],
        },
      },
    ]);
  });

  it("the adapter reads pages up to the first page that is not full if the insurer reports no total", async () => {
    const { total: _, ...uncounted } = rows;
    const pageOf = (length: number) => (page: number, size: number) => ({
      found: itemsFrom((page - 1) * size, Math.min(length, page * size)),
    });
    const short = await collected(searchPolicies, uncounted, { limit: 100 }, pageOf(60));
    expect(short.asked).toBe("1:50 2:50");
    expect(short.answer).toMatchObject({ type: "value", value: { total: null } });
    const full = await collected(searchPolicies, uncounted, { limit: 50 }, pageOf(60));
    expect(full.asked).toBe("1:50");
    expect(short.decoded[0]?.form).toMatchObject({ beside: [] });
  });

  it("the dialect's `finish` function converts each item of a page, and the adapter reports an unreadable page if `finish` rejects an item", async () => {
    const finish = (value: unknown, theirs: unknown): unknown =>
      Object(theirs).id === "P-1" ? undefined : { ...Object(value), theirs };
    const ended = (length: number): Promise<Collected> =>
      collected(searchPolicies, rows, {}, pagesOf(length, rows), { finish });
    expect((await ended(1)).answer).toMatchObject({
      value: { items: [{ policyId: "P-0", theirs: { id: "P-0" } }] },
    });
    expect((await ended(2)).answer).toEqual({
      type: "unreadable",
      status: 200,
      detail: "The insurer's page does not have the expected form.",
    });
  });

  const size = "The insurer's page does not have the requested size.";
  const form = "The insurer's page does not have the expected form.";
  const mapped = "The insurer's answer does not have the expected form";
  it.each<[string, (page: number, size: number) => InsurerPage, string, object]>([
    ["more items than requested", () => ({ found: itemsFrom(0, 21), count: 21 }), size, {}],
    ["fewer items than its total", () => ({ found: itemsFrom(0, 19), count: 20 }), size, {}],
    ["more items than its total", () => ({ found: itemsFrom(0, 20), count: 19 }), size, {}],
    [
      "a total in each full page of only this page",
      () => ({ found: itemsFrom(0, 50), count: 50 }),
      size,
      { limit: 100 },
    ],
    ["no total", () => ({ found: [] }), form, {}],
    ["a total that is not a number", () => ({ found: [], count: "many" }), form, {}],
    ["no list", () => ({ found: {}, count: 0 }), `${mapped} at /found.`, {}],
    [
      "an item of another form",
      () => ({ found: [{ id: "P-0" }, { id: 7 }], count: 2 }),
      `${mapped} at /found/1/id.`,
      {},
    ],
    [
      "another total in the second page",
      (page, size) => ({ ...pagesOf(90, rows)(page, size), count: 89 + page }),
      "The insurer's list changed while it was read.",
      { start: 31 },
    ],
  ])(
    "the adapter reports a search's page as unreadable if the insurer answers with %s",
    async (_, pageOf, detail, query) => {
      const { answer } = await collected(searchPolicies, rows, { ...query }, pageOf);
      expect(answer).toEqual({ type: "unreadable", status: 200, detail });
    },
  );

  it.each<[string, Partial<PageMapping>, Partial<Endpoint>, string]>([
    [
      "for a search with its own `paging`",
      {},
      { paging: usualPaging },
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
        collectingAdapter({ ...searchPolicies, ...more }, { ...rows, ...change }),
      ).toThrow(`The adapter of provider-m: endpoint: ${fault}`);
    },
  );
});

describe("a complete list that is collected from an insurer's pages", () => {
  const whole: PageMapping = {
    ...rows,
    each: [["", "/id", plainText]],
    whole: { queries: 2, at: "/list/names" },
  };
  const collectBrands = (
    length: number,
    tagOf = (page: number): string => `"p${page}"`,
  ): Promise<Collected> =>
    collected(listBrands, whole, {}, (page, size) => ({
      ...pagesOf(length, whole)(page, size),
      etag: tagOf(page),
    }));

  it("a list that the adapter collects from several pages has one ETag, which joins the ETags of all pages", async () => {
    const found = await collectBrands(70, (page) => `W/"p${page}"`);
    expect(found.asked).toBe("1:50 2:50");
    expect(found.answer).toEqual({
      type: "value",
      status: 200,
      value: { list: { names: idsFrom(0, 70) } },
      headers: { etag: '"p1.p2"' },
    });
    expect(found.decoded[0]?.form).toMatchObject({
      rows: [{ list: ["/list/names", "/found"], each: whole.each }],
    });
  });

  it.each([
    ["", "p2"],
    ["p1", '"p2'],
  ])(
    "a list that the adapter collects from several pages has no ETag if the ETag of a page is not valid: %j, %j",
    async (one, other) => {
      const tagOf = (page: number): string => (page === 1 ? `"${one}"` : other);
      const { answer } = await collectBrands(70, tagOf);
      expect(answer).toMatchObject({ type: "value", headers: { etag: "" } });
    },
  );

  it("the adapter reports a list as unreadable if the maximum number of requests is not enough for all items of the list", async () => {
    expect((await collectBrands(100)).answer).toMatchObject({
      type: "value",
      headers: { etag: '"p1.p2"' },
    });
    const { answer, asked } = await collectBrands(101);
    expect(asked).toBe("1:50 2:50");
    expect(answer).toEqual({
      type: "unreadable",
      status: 200,
      detail: "The insurer's list is longer than 100 items.",
    });
  });
});
