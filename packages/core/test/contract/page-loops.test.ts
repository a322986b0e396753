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

  it.each([
    [usualPaging, 1, 0, ["1"]],
    [usualPaging, 21, 20, ["21"]],
    [offset, 4, 4, ["4"]],
    [paged, 3, 4, ["3"]],
    [{ ...paged, from: 0 } as const, 3, 6, ["3"]],
    [cursor, "x", Number.NaN, ["x"]],
    [cursor, undefined, Number.NaN, []],
  ])(
    "a loop over all pages begins at the requested position: paging %j, position %j, number of skipped items %j",
    (paging, position, before, cursors) => {
      const request = { position, size: 2 };
      expect(firstStep(paging, request)).toEqual({
        request,
        before,
        cursors: new Set(cursors),
        empty: 0,
        previous: "",
      });
    },
  );

  const step = firstStep(offset, { position: 0, size: 2 });
  const stepTo = (position: number, ...items: readonly string[]): PageStep => ({
    request: { position, size: 2 },
    before: position,
    cursors: new Set(["0"]),
    empty: 0,
    previous: JSON.stringify(items),
  });
  const next = stepTo(2, "a", "b");

  it.each<[string, PageAnswer, PageStep | "last"]>([
    ["a full page", answered(["a", "b"]), next],
    ["a page that is not full", answered(["a"]), "last"],
    ["an empty page", answered([]), "last"],
    ["a page that is full by the size in the answer", answered(["a"], { size: 1 }), stepTo(1, "a")],
    ["more items than requested", answered(["a", "b", "c"]), stepTo(3, "a", "b", "c")],
    ["fewer items than the total", answered(["a", "b"], { total: 3 }), next],
    ["a short page with fewer items than the total", answered(["a"], { total: 3 }), stepTo(1, "a")],
    ["an empty page before the total is reached", answered([], { total: 3 }), "last"],
    ["a full page whose total is the page's size", answered(["a", "b"], { total: 2 }), next],
    ["a short page whose total is the page's size", answered(["a"], { total: 1 }), "last"],
    ["more items than the total", answered(["a", "b"], { total: 1 }), "last"],
  ])(
    "a loop over numbered pages continues only if more items may follow: %s",
    (_, page, expected) => {
      expect(stepAfter(offset, step, page)).toEqual(expected);
    },
  );

  it("a loop over numbered pages ends when the number of items reaches the total", () => {
    expect(stepAfter(offset, next, answered(["c", "d"], { total: 4 }))).toBe("last");
    expect(stepAfter(offset, next, answered(["c", "d"], { total: 5 }))).toEqual(
      stepTo(4, "c", "d"),
    );
  });

  it("a loop over pages with cursors ends at an answer without a cursor, and reports a repeated cursor as an endless search", () => {
    const first = firstStep(cursor, { position: undefined, size: 2 });
    const second = stepAfter(cursor, first, answered(["a"], { next: "x" }));
    expect(second).toEqual({
      request: { position: "x", size: 2 },
      before: Number.NaN,
      cursors: new Set(["x"]),
      empty: 0,
      previous: '["a"]',
    });
    if (typeof second === "string") return;
    expect(stepAfter(cursor, second, answered(["b"]))).toBe("last");
    expect(stepAfter(cursor, second, answered(["b"], { next: "x" }))).toBe("endless");
    expect(stepAfter(cursor, second, answered(["b"], { next: 7 }))).toMatchObject({
      request: { position: 7, size: 2 },
      cursors: new Set(["x", "7"]),
    });
  });

  it("a loop over pages with cursors reports an endless search after eleven empty pages in a row, but not after ten", () => {
    let found: PageStep | "last" | "endless" = firstStep(cursor, { position: undefined, size: 2 });
    const empties: unknown[] = [];
    for (let count = 0; typeof found !== "string"; count += 1) {
      empties.push(found.empty);
      found = stepAfter(cursor, found, answered(count === 0 ? ["a"] : [], { next: count }));
    }
    expect([found, empties]).toEqual(["endless", [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]);
  });

  it("the client refuses a page that repeats the previous page's items or has another position than the requested page", () => {
    expect(isRequestedPage(next, answered(["c"]))).toBe(true);
    expect(isRequestedPage(next, answered(["a", "b"]))).toBe(false);
    expect(isRequestedPage(next, answered(["c"], { position: 2 }))).toBe(true);
    expect(isRequestedPage(next, answered(["c"], { position: 0 }))).toBe(false);
    expect(isRequestedPage({ ...next, previous: "[]" }, answered([]))).toBe(true);
  });
});
