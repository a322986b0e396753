import {
  defineProvider,
  type Endpoint,
  type Lookup,
  lookup,
} from "@insurance-gateway/core/contract";
import { list, loose, string } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  type AdapterAnswer,
  type DecodedBody,
  jsonDialect,
  type PageMapping,
  plainText,
} from "../src/index.ts";
import { searchPolicies } from "./harness/declarations.ts";

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
interface Given {
  readonly found: unknown;
  readonly count?: unknown;
  readonly etag?: string;
}

interface Collected {
  readonly answer: AdapterAnswer;
  /** The position and the size of the page in each request to the insurer. */
  readonly asked: readonly (readonly [page: number, size: number])[];
  readonly decoded: readonly DecodedBody[];
}

/** Calls an endpoint that collects its list from an insurer's pages. The function `pageOf` creates these pages. */
async function collected(
  endpoint: Endpoint,
  pages: PageMapping,
  query: Readonly<Record<string, unknown>>,
  pageOf: (page: number, size: number) => Given,
  more: object = {},
): Promise<Collected> {
  const provider = defineProvider({
    id: "provider-m",
    name: "M",
    lines: ["motor"],
    endpoints: { endpoint },
  });
  const adapter = jsonDialect(provider, {
    failures: [],
    calls: {
      endpoint: {
        method: "GET",
        path: "/list",
        query: [
          ["/page/position", "/page"],
          ["/page/size", "/size"],
        ],
        pages,
        ...more,
      },
    },
  });
  const asked: (readonly [number, number])[] = [];
  const decoded: DecodedBody[] = [];
  const answer = await adapter.call(
    endpoint,
    { params: {}, query, headers: {}, body: undefined },
    async ({ path }) => {
      const [page = 0, size = 0] = [...new URLSearchParams(path.split("?")[1]).values()].map(
        Number,
      );
      asked.push([page, size]);
      const { etag, ...body } = pageOf(page, size);
      const text = JSON.stringify(body);
      return {
        status: 200,
        headers: etag === undefined ? {} : { etag },
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
      decoded: (body) => decoded.push(body),
    },
  );
  return { answer, asked, decoded };
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
): (page: number, size: number) => Given {
  return (page, size) => {
    const first = style === "page" ? (page - from) * size : page - from;
    return { found: itemsFrom(first, Math.min(length, first + size)), count: length };
  };
}

type Asked = Collected["asked"];
const pageSearch = async (
  query: Readonly<Record<string, unknown>>,
  length: number,
  change: Partial<PageMapping> = {},
): Promise<Collected> => {
  const pages = { ...rows, ...change };
  return collected(searchPolicies, pages, query, pagesOf(length, pages));
};

describe("a page that is collected from an insurer's pages", () => {
  it.each<[Readonly<Record<string, unknown>>, number, Partial<PageMapping>, Asked, number, number]>(
    [
      [{}, 7, {}, [[1, 20]], 0, 7],
      [{ start: 1, limit: 20 }, 20, {}, [[1, 20]], 0, 20],
      [{ start: 21, limit: 20 }, 90, {}, [[2, 20]], 20, 40],
      [
        { start: 31, limit: 20 },
        90,
        {},
        [
          [2, 20],
          [3, 20],
        ],
        30,
        50,
      ],
      [
        { start: 2, limit: 20 },
        21,
        {},
        [
          [1, 20],
          [2, 20],
        ],
        1,
        21,
      ],
      [
        { start: 26, limit: 100 },
        500,
        {},
        [
          [1, 50],
          [2, 50],
          [3, 50],
        ],
        25,
        125,
      ],
      [
        { start: 101, limit: 100 },
        500,
        { from: 0 },
        [
          [2, 50],
          [3, 50],
        ],
        100,
        200,
      ],
      [{ start: 31, limit: 20 }, 90, { style: "offset", from: 0 }, [[30, 20]], 30, 50],
      [
        { start: 31, limit: 70 },
        90,
        { style: "offset", from: 1 },
        [
          [31, 50],
          [81, 50],
        ],
        30,
        90,
      ],
      [{ start: 31, limit: 20 }, 7, { style: "offset", from: 0 }, [[30, 20]], 30, 30],
      [{ start: 1, limit: 1 }, 3, {}, [[1, 1]], 0, 1],
    ],
  )(
    "the adapter collects the gateway's page from the insurer's pages that contain the requested items: query %j, %i items, paging %j",
    async (query, length, change, asked, first, last) => {
      const found = await pageSearch(query, length, change);
      expect(found.asked).toEqual(asked);
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

  it("the adapter returns a collected page with the mapping's status, and reports the expected form of each insurer's page", async () => {
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
    expect(short.asked).toEqual([
      [1, 50],
      [2, 50],
    ]);
    expect(short.answer).toMatchObject({ type: "value", value: { total: null } });
    const full = await collected(searchPolicies, uncounted, { limit: 50 }, pageOf(60));
    expect(full.asked).toEqual([[1, 50]]);
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
  it.each<[string, (page: number, size: number) => Given, string]>([
    ["more items than requested", () => ({ found: itemsFrom(0, 21), count: 21 }), size],
    ["fewer items than its total", () => ({ found: itemsFrom(0, 19), count: 20 }), size],
    ["more items than its total", () => ({ found: itemsFrom(0, 20), count: 19 }), size],
    ["no total", () => ({ found: [] }), "The insurer's page does not have the expected form."],
    [
      "a total that is not a number",
      () => ({ found: [], count: "many" }),
      "The insurer's page does not have the expected form.",
    ],
    [
      "no list",
      () => ({ found: {}, count: 0 }),
      "The insurer's answer does not have the expected form at /found.",
    ],
    [
      "an item of another form",
      () => ({ found: [{ id: "P-0" }, { id: 7 }], count: 2 }),
      "The insurer's answer does not have the expected form at /found/1/id.",
    ],
  ])(
    "the adapter reports a search's page as unreadable if the insurer answers with %s",
    async (_, pageOf, detail) => {
      const { answer } = await collected(searchPolicies, rows, {}, pageOf);
      expect(answer).toEqual({ type: "unreadable", status: 200, detail });
    },
  );

  it("the adapter reports a search's page as unreadable if the insurer's list changes between two requests for the page", async () => {
    const changing = (page: number, size: number): Given => ({
      ...pagesOf(90, rows)(page, size),
      count: 89 + page,
    });
    const { answer, asked } = await collected(searchPolicies, rows, { start: 31 }, changing);
    expect(asked).toHaveLength(2);
    expect(answer).toEqual({
      type: "unreadable",
      status: 200,
      detail: "The insurer's list changed while it was read.",
    });
  });
});

describe("a complete list that is collected from an insurer's pages", () => {
  const whole: PageMapping = {
    ...rows,
    each: [["", "/id", plainText]],
    whole: { queries: 2, at: "/list/names" },
  };
  const tagged =
    (length: number, tagOf: (page: number) => string) =>
    (page: number, size: number): Given => ({
      ...pagesOf(length, whole)(page, size),
      etag: tagOf(page),
    });

  it("a list that the adapter collects from several pages has one ETag, which joins the ETags of all pages", async () => {
    const found = await collected(
      listBrands,
      whole,
      {},
      tagged(70, (page) => `W/"p${page}"`),
    );
    expect(found.asked).toEqual([
      [1, 50],
      [2, 50],
    ]);
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
      const { answer } = await collected(listBrands, whole, {}, tagged(70, tagOf));
      expect(answer).toMatchObject({ type: "value", headers: { etag: "" } });
    },
  );

  it("the adapter reports a list as unreadable if the maximum number of requests is not enough for all items of the list", async () => {
    const tags = (page: number): string => `"p${page}"`;
    expect((await collected(listBrands, whole, {}, tagged(100, tags))).answer).toMatchObject({
      type: "value",
      headers: { etag: '"p1.p2"' },
    });
    const { answer, asked } = await collected(listBrands, whole, {}, tagged(101, tags));
    expect(asked).toHaveLength(2);
    expect(answer).toEqual({
      type: "unreadable",
      status: 200,
      detail: "The insurer's list is longer than 100 items.",
    });
  });
});
