import { describe, expect, it } from "vitest";
import type { Paging } from "../../src/contract/index.ts";
import {
  countIn,
  firstPosition,
  hasNumberedPages,
  headersOfPaging,
  isRequestedPosition,
  NEXT_CURSOR_HEADER,
  type PageAnswer,
  pageParameterInWords,
  pagingInWords,
  pagingOf,
  parsePage,
  positionAfter,
  requestedPage,
  usualPaging,
  withoutPage,
  withPageParameters,
} from "../../src/runtime.ts";
import { cursor, offset, paged } from "../harness/pagings.ts";

const link: Paging = {
  style: "link",
  position: "after",
  size: { usual: 30 },
  items: "",
  total: { header: "x-total" },
};
const inBody: Paging = {
  style: "start",
  position: "/paging/from",
  from: 0,
  size: { name: "/paging/count", usual: 10, most: 50, echo: "/size" },
  items: "/found",
  total: "/total",
  echo: "/from",
};

describe("the paging of searches", () => {
  it("a search is paged by `start` and `limit` if the search declares no other paging", () => {
    expect(pagingOf({})).toEqual({
      style: "start",
      position: "start",
      from: 1,
      size: { name: "limit", usual: 20, most: 100, echo: "/limit" },
      items: "/items",
      total: "/total",
      echo: "/start",
    });
    expect(pagingOf({ paging: paged })).toBe(paged);
  });

  it.each([
    [usualPaging, true, 1],
    [offset, true, 0],
    [paged, true, 1],
    [{ ...paged, from: 0 } as const, true, 0],
    [inBody, true, 0],
    [cursor, false, undefined],
    [link, false, undefined],
  ])(
    "the pages of a search are numbered only in the paging styles start, offset and page: paging %j, numbered %j, first position %j",
    (paging, counted, first) => {
      expect([hasNumberedPages(paging), firstPosition(paging)]).toEqual([counted, first]);
    },
  );

  it("the paging declaration determines which answer headers contain the total or the next cursor", () => {
    expect([usualPaging, cursor, link].map(headersOfPaging)).toEqual([
      [],
      ["x-next"],
      ["x-total", "next-cursor"],
    ]);
  });

  it.each([
    [usualPaging, {}, { position: 1, size: 20 }],
    [usualPaging, { query: { start: 21, limit: 5 } }, { position: 21, size: 5 }],
    [usualPaging, { query: { start: 21, limit: "5" } }, { position: 21, size: 20 }],
    [offset, { query: null, body: { skip: 1 } }, { position: 0, size: 2 }],
    [inBody, { body: { paging: { from: 3, count: 7 } } }, { position: 3, size: 7 }],
    [inBody, { query: { "/paging/from": 3 } }, { position: 0, size: 10 }],
    [cursor, {}, { position: undefined, size: 2 }],
    [cursor, { query: { after: "x" } }, { position: "x", size: 2 }],
  ])(
    "the requested page is read from the query or the body of a request: paging %j, request %j, page %j",
    (paging, input, asked) => {
      expect(requestedPage(paging, input)).toEqual(asked);
    },
  );

  it("the client can write a page's position and size into the query or the body, and can remove both values", () => {
    const input = { query: { afm: "1", start: 9 }, body: { a: 1 } };
    const asked = withPageParameters(usualPaging, input, { position: 21, size: 5 });
    expect(asked).toEqual({ query: { afm: "1", start: 21, limit: 5 }, body: { a: 1 } });
    expect(withoutPage(usualPaging, asked)).toEqual({ query: { afm: "1" }, body: { a: 1 } });
    const body = withPageParameters(inBody, input, { position: 3, size: 7 });
    expect(body).toEqual({ query: input.query, body: { a: 1, paging: { from: 3, count: 7 } } });
    expect(withoutPage(inBody, body)).toEqual({ query: input.query, body: { a: 1, paging: {} } });
    expect(withPageParameters(cursor, {}, { position: undefined, size: 5 })).toEqual({});
    expect(withPageParameters(cursor, {}, { position: "x", size: 5 })).toEqual({
      query: { after: "x" },
    });
    expect(withoutPage(cursor, { query: { after: "x", b: 1 } })).toEqual({ query: { b: 1 } });
  });
});

describe("search answers", () => {
  const empty: PageAnswer = {
    items: [],
    total: null,
    next: null,
    position: undefined,
    size: undefined,
  };
  const cursorInBody: Paging = { ...cursor, next: "/n" };
  it.each<[string, Paging, unknown, Readonly<Record<string, string>>, PageAnswer | null]>([
    [
      "a page with `start` and `limit`",
      usualPaging,
      { items: [1], start: 1, limit: 20, total: 7, next: "x" },
      {},
      { items: [1], total: 7, next: null, position: 1, size: 20 },
    ],
    ["a page without a total", usualPaging, { items: [], total: null }, {}, empty],
    [
      "numbers in strings",
      inBody,
      { found: [], from: "3", size: "5", total: " 7 " },
      {},
      { ...empty, position: "3", total: 7 },
    ],
    ["a cursor in a header", cursor, { items: [] }, { "x-next": "c" }, { ...empty, next: "c" }],
    ["a number as the cursor", cursorInBody, { items: [], n: 0 }, {}, { ...empty, next: 0 }],
    ["an empty cursor", cursorInBody, { items: [], n: "" }, {}, empty],
    ["false as the cursor", cursorInBody, { items: [], n: false }, {}, empty],
    [
      "a cursor from a link, and a total in a header",
      link,
      [1, 2],
      { [NEXT_CURSOR_HEADER]: "c", "x-total": "3" },
      { ...empty, items: [1, 2], total: 3, next: "c" },
    ],
    ["items that are not a list", usualPaging, { items: {} }, {}, null],
    ["no body", usualPaging, undefined, {}, null],
  ])(
    "the client reads the items, the total and the next cursor from a search answer: %s",
    (_, paging, value, headers, page) => {
      expect(parsePage(paging, value, headers)).toEqual(page);
    },
  );

  it.each([
    [0, 0],
    [7, 7],
    ["7", 7],
    [" 0007\n", 7],
    ["9007199254740991", 9_007_199_254_740_991],
    ["9007199254740992", null],
    ["12345678901234567", null],
    [9_007_199_254_740_992, null],
    [-1, null],
    ["-1", null],
    [1.5, null],
    ["1.5", null],
    ["", null],
    [null, null],
    [undefined, null],
    [true, null],
    [[7], null],
  ])(
    "the client accepts a total only as a whole number or as digits: %j is read as %j",
    (value, count) => {
      expect(countIn(value)).toBe(count);
    },
  );

  const page: PageAnswer = { ...empty, items: ["a", "b"] };
  it("the position of the next page is the received cursor, or is computed from the current position and the number of items", () => {
    const after = (paging: Paging, position: number | string | undefined): unknown =>
      positionAfter(paging, { position, size: 9 }, { ...page, next: "c" });
    expect([after(usualPaging, 1), after(offset, 0), after(paged, 1)]).toEqual([3, 2, 2]);
    expect([after(paged, "4"), after(cursor, undefined), after(link, "b")]).toEqual([5, "c", "c"]);
    expect(positionAfter(cursor, { position: "b", size: 2 }, page)).toBeNull();
  });

  it.each([
    [undefined, 1, true],
    [1, 1, true],
    ["1", 1, true],
    [2, 1, false],
    ["x", undefined, false],
    [null, 1, false],
  ])(
    "a page is accepted as the requested page only if the page has the requested position or no position: page at %j, request for %j, result %j",
    (position, asked, isIt) => {
      expect(isRequestedPosition({ ...page, position }, asked)).toBe(isIt);
    },
  );
});

describe("descriptions of a search's paging", () => {
  it.each([
    [
      usualPaging,
      "`start` is the number of the first item of the page, counted from 1. For the next page, add the number of items in the answer. `limit` is the maximum number of items on a page. Default: 20. Maximum: 100. The items are at `/items`. The total number of items is at `/total`.",
    ],
    [
      inBody,
      "`/paging/from` of the body is the number of the first item of the page, counted from 0. For the next page, add the number of items in the answer. `/paging/count` of the body is the maximum number of items on a page. Default: 10. Maximum: 50. The items are at `/found`. The total number of items is at `/total`.",
    ],
    [
      offset,
      "`skip` is the number of items before the page. Default: 0. For the next page, add the number of items in the answer. `size` is the maximum number of items on a page. Default: 2. Maximum: 2. The items are at `/items`.",
    ],
    [
      paged,
      "`page` is the number of the page, counted from 1. For the next page, add 1. `size` is the maximum number of items on a page. Default: 2. Maximum: 2. The items are at `/items`. The total number of items is at `/total`.",
    ],
    [
      cursor,
      "Omit `after` for the first page. For the next page, send the value in the header `x-next` of the answer unchanged; if there is none, the page is the last. A page has at most 2 items. The items are at `/items`.",
    ],
    [
      link,
      "Omit `after` for the first page. For the next page, send the value in the header `next-cursor` of the answer unchanged; if there is none, the page is the last. A page has at most 30 items. The answer is the list. The total number of items is in the header `x-total`.",
    ],
  ])("the documentation describes a search's paging in words: %j", (paging, words) => {
    expect(pagingInWords(paging)).toBe(words);
  });

  it("the description of a search's paging contains the parameter names in the format of the function that the caller passes", () => {
    expect(pagingInWords(paged, (name) => name.toUpperCase())).toMatch(/^PAGE is .* SIZE is /);
  });

  it("the parameters `start` and `limit` have a description only in a search without a declared paging", () => {
    const wordsOf = (kind: string, paging: Paging | undefined, name: string): string | null =>
      pageParameterInWords({ kind, ...(paging && { paging }) }, name);
    expect(wordsOf("search", undefined, "start")).toBe(
      "The 1-based position of the first item of the page. Default: 1.",
    );
    expect(wordsOf("search", undefined, "limit")).toBe(
      "Maximum of items on the page, 1 to 100. Default: 20.",
    );
    expect(wordsOf("search", undefined, "toString")).toBeNull();
    expect(wordsOf("search", usualPaging, "start")).toBeNull();
    expect(wordsOf("read", undefined, "start")).toBeNull();
  });
});
