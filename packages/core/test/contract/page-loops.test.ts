import { describe, expect, it } from "vitest";
import { firstStep, isRequestedPage, type PageStep, stepAfter } from "../../src/contract/paging.ts";
import { type PageAnswer, usualPaging } from "../../src/runtime.ts";
import { cursor, offset, paged } from "../harness/pagings.ts";

describe("loops over all pages", () => {
  const answered = (items: readonly unknown[], more: Partial<PageAnswer> = {}): PageAnswer => ({
    items,
    total: null,
    next: null,
    position: undefined,
    size: undefined,
    ...more,
  });

  /** Returns the request after an answer, or why the loop ends. */
  const requestAfter = (...given: Parameters<typeof stepAfter>): unknown => {
    const next = stepAfter(...given);
    return typeof next === "string" ? next : next.request;
  };
  const asking = (position: number): unknown => ({ position, size: 2 });

  it.each([
    ["counted from 1", usualPaging, 21, 22, 23],
    ["counted from 0", offset, 4, 6, 6],
    ["page numbers from 1", paged, 3, 6, 4],
    ["page numbers from 0", { ...paged, from: 0 } as const, 3, 8, 4],
  ])(
    "a loop that begins in the middle of a list ends when the position of an item reaches the total: %s",
    (_, paging, position, total, following) => {
      const begin = firstStep(paging, { position, size: 2 });
      expect(begin.request).toEqual({ position, size: 2 });
      expect(requestAfter(paging, begin, answered(["a", "b"], { total }))).toBe("last");
      expect(requestAfter(paging, begin, answered(["a", "b"], { total: total + 1 }))).toEqual(
        asking(following),
      );
    },
  );

  const first = firstStep(offset, { position: 0, size: 2 });

  it.each<[string, PageAnswer, unknown]>([
    ["a full page", answered(["a", "b"]), asking(2)],
    ["a page that is not full", answered(["a"]), "last"],
    ["an empty page", answered([]), "last"],
    ["a page that is full by the size in the answer", answered(["a"], { size: 1 }), asking(1)],
    ["more items than requested", answered(["a", "b", "c"]), asking(3)],
    ["fewer items than the total", answered(["a", "b"], { total: 3 }), asking(2)],
    ["a short page with fewer items than the total", answered(["a"], { total: 3 }), asking(1)],
    ["an empty page before the total is reached", answered([], { total: 3 }), "last"],
    ["a full page whose total is the page's size", answered(["a", "b"], { total: 2 }), asking(2)],
    ["a short page whose total is the page's size", answered(["a"], { total: 1 }), "last"],
    ["more items than the total", answered(["a", "b"], { total: 1 }), "last"],
  ])(
    "a loop over numbered pages continues only if more items may follow: %s",
    (_, page, expected) => {
      expect(requestAfter(offset, first, page)).toEqual(expected);
    },
  );

  /** Returns the step after an answer. Fails if the loop ends. */
  const stepBeyond = (...given: Parameters<typeof stepAfter>): PageStep => {
    const next = stepAfter(...given);
    if (typeof next === "string") throw new TypeError(`The loop ended: ${next}`);
    return next;
  };
  const second = stepBeyond(offset, first, answered(["a", "b"]));

  it("a loop over numbered pages ends when the number of items reaches the total", () => {
    expect(requestAfter(offset, second, answered(["c", "d"], { total: 4 }))).toBe("last");
    expect(requestAfter(offset, second, answered(["c", "d"], { total: 5 }))).toEqual(asking(4));
  });

  it("a loop over pages with cursors ends at an answer without a cursor, and reports a repeated cursor as an endless search", () => {
    const begin = firstStep(cursor, { position: undefined, size: 2 });
    const next = stepBeyond(cursor, begin, answered(["a"], { next: "x" }));
    expect(next.request).toEqual({ position: "x", size: 2 });
    expect(requestAfter(cursor, next, answered(["b"]))).toBe("last");
    expect(requestAfter(cursor, next, answered(["b"], { next: "x" }))).toBe("endless");
    const last = stepBeyond(cursor, next, answered(["b"], { next: 7 }));
    expect(last.request).toEqual({ position: 7, size: 2 });
    expect(requestAfter(cursor, last, answered(["c"], { next: "x" }))).toBe("endless");
    const resumed = firstStep(cursor, { position: "x", size: 2 });
    expect(requestAfter(cursor, resumed, answered(["a"], { next: "x" }))).toBe("endless");
  });

  it("a loop over pages with cursors reports an endless search after eleven empty pages in a row, but not after ten", () => {
    let pages = 0;
    let found: PageStep | "last" | "endless" = firstStep(cursor, { position: undefined, size: 2 });
    for (; typeof found !== "string"; pages += 1)
      found = stepAfter(cursor, found, answered(pages === 0 ? ["a"] : [], { next: pages }));
    expect([found, pages]).toEqual(["endless", 12]);
  });

  it("the client refuses a page that repeats the previous page's items or has another position than the requested page", () => {
    expect(isRequestedPage(second, answered(["c"]))).toBe(true);
    expect(isRequestedPage(second, answered(["a", "b"]))).toBe(false);
    expect(isRequestedPage(second, answered(["c"], { position: 2 }))).toBe(true);
    expect(isRequestedPage(second, answered(["c"], { position: 0 }))).toBe(false);
    const empty = stepBeyond(
      cursor,
      firstStep(cursor, { position: undefined, size: 2 }),
      answered([], { next: "x" }),
    );
    expect(isRequestedPage(empty, answered([]))).toBe(true);
  });
});
