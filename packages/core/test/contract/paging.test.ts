import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type Endpoint, type Paging, search } from "../../src/contract/index.ts";
import { strict, zodSchema } from "../../src/schema/index.ts";
import { listBrands } from "../harness/declarations.ts";
import { refusalOf } from "../harness/refused.ts";

const paging: Paging = {
  style: "page",
  position: "page",
  size: { name: "size", usual: 20, most: 50 },
  items: "/content",
  total: "/totalElements",
};
const numbered = search<{ query: { page?: number }; item: string; page: string[] }>({
  provider: "provider-m",
  path: "/numbered",
  query: strict<{ page?: number }>({ page: z.exactOptional(z.int()) }),
  page: zodSchema<string[]>(z.array(z.string())),
  paging,
});

/** Returns the faults of a search with a changed paging, or of a changed endpoint with this paging. */
function faultsOf(change: Partial<Paging>, more: Partial<Endpoint> = {}): readonly string[] {
  const declared = { ...numbered, paging: { ...paging, ...change }, ...more };
  const text = refusalOf({ declared });
  return text === "accepted" ? [] : text.replaceAll(/^declared: /gm, "").split("\n");
}

describe("paging declarations", () => {
  it("the declaration check accepts a search if its `paging` settings do not contradict each other", () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ style: "start", from: 0, echo: "/from" })).toEqual([]);
    expect(faultsOf({ size: { name: "size", usual: 50, most: 50 } })).toEqual([]);
    expect(faultsOf({ style: "cursor", next: "/meta/next" })).toEqual([]);
    expect(faultsOf({ style: "cursor", next: { header: "x-next" } })).toEqual([]);
    const list = { items: "", total: { header: "x-total-count" } };
    expect(faultsOf({ style: "link", ...list, size: { usual: 30 } })).toEqual([]);
    const body = { method: "POST", body: strict({}) } as const;
    expect(faultsOf({ position: "/paging/page" }, body)).toEqual([]);
  });

  it.each<[string, Partial<Paging>, string]>([
    [
      "a cursor whose place in the answer is not declared",
      { style: "cursor" },
      "`paging.next` must be set for the style `cursor`, and for no other style",
    ],
    [
      "a cursor's place for numbered pages",
      { next: "/next" },
      "`paging.next` must be set for the style `cursor`, and for no other style",
    ],
    [
      "an offset that begins at 1",
      { style: "offset", from: 1 },
      "`paging.from` must be 0 or 1, and only `start` and `page` have it",
    ],
    [
      "an echo of a cursor",
      { style: "cursor", next: "/next", echo: "/cursor" },
      "`paging.echo` must not be set for cursors, because it is a number",
    ],
    [
      "a default size above the maximum",
      { size: { name: "size", usual: 51, most: 50 } },
      "`paging.size` has `most` below `usual`",
    ],
    [
      "a maximum without a size parameter",
      { size: { usual: 20, most: 50 } },
      "`paging.size` has `most`, but no parameter for the size (`name`)",
    ],
    [
      "a page size of 0 items",
      { size: { usual: 0 } },
      "`paging.size` must have whole numbers of items, 1 or more",
    ],
    [
      "one parameter for both position and size",
      { size: { name: "page", usual: 20 } },
      "`paging` has page for both the position and the size",
    ],
    [
      "a total in the body beside a plain list",
      { items: "" },
      "`paging` has /totalElements beside a plain list; use a header instead",
    ],
    [
      "a place of the items that is not a JSON Pointer",
      { items: "content" },
      "`paging.items` content must be a JSON Pointer",
    ],
    [
      "a header with capitals",
      { total: { header: "X-Total" } },
      "`paging`: the header X-Total must be a header's name in lower case",
    ],
    [
      "a total in a header reserved for the gateway",
      { total: { header: "x-request-id" } },
      "`paging`: the header x-request-id is reserved and must not be declared",
    ],
    [
      "a position in the body of a search without a body",
      { position: "/page" },
      "`paging` has /page in the body, but the search has no body",
    ],
  ])("the declaration check refuses a search with invalid `paging`: %s", (_, change, fault) => {
    expect(faultsOf(change)).toEqual([fault]);
  });

  it("the declaration check refuses `paging` in an endpoint that is not a search", () => {
    const { kind, path, response } = listBrands;
    expect(faultsOf({}, { kind, path, response })).toEqual(["only a search has `paging`"]);
  });
});
