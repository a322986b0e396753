import { type Endpoint, type Paging, search } from "@insurance-gateway/core/contract";
import { loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { pagingFaults } from "../src/paging-faults.ts";

interface Query {
  customer: string;
  page?: number;
  size?: number;
  token?: string;
}
interface Found {
  content: string[];
  count: number | null;
  next: string | null;
  day: string;
}
const query = strict<Query>({
  customer: text(),
  page: z.exactOptional(z.int().check(z.minimum(0))),
  size: z.exactOptional(z.int().check(z.minimum(1), z.maximum(50))),
  token: z.exactOptional(text()),
});
const paging: Paging = {
  style: "page",
  position: "page",
  from: 0,
  size: { name: "size", usual: 20, most: 50 },
  items: "/content",
  total: "/count",
};
const listPolicies = search<{ query: Query; item: string; page: Found }>({
  provider: "provider-m",
  path: "/policies",
  query,
  page: loose<Found>({
    content: z.array(z.string()),
    count: z.nullable(z.int()),
    next: z.nullable(z.string()),
    day: text(),
  }),
  paging,
});

function faultsOf(change: Partial<Paging>, more: Partial<Endpoint> = {}): readonly string[] {
  return pagingFaults({ ...listPolicies, paging: { ...paging, ...change }, ...more });
}

describe("the conformance check of paging", () => {
  it("the conformance check accepts a search's paging if the search's schemas have the fields that the paging names", () => {
    expect(faultsOf({})).toEqual([]);
    const { from: _, ...others } = paging;
    const cursor: Paging = { ...others, style: "cursor", position: "token", next: "/next" };
    expect(pagingFaults({ ...listPolicies, paging: cursor })).toEqual([]);
  });

  it("the conformance check accepts a search with `start` and `limit`, and refuses a search without `limit`", () => {
    const usual = search<{ query: { start?: number; limit?: number }; item: string }>({
      provider: "provider-m",
      path: "/usual",
      query: strict<{ start?: number; limit?: number }>(pageQuery()),
      item: z.string(),
    });
    expect(pagingFaults(usual)).toEqual([]);
    const without = { ...usual, query: strict({ start: pageQuery().start }) };
    expect(pagingFaults(without)).toEqual([
      "its paging has the parameter limit, but the search has no such parameter",
    ]);
  });

  it.each<[string, Partial<Paging>, string]>([
    [
      "the items at a place without a list",
      { items: "/day" },
      "its paging has the items at /day, but its answer has no such field",
    ],
    [
      "the total at a missing field",
      { total: "/total" },
      "its paging has the total at /total, but its answer has no such field",
    ],
    [
      "a position parameter that the search does not accept",
      { position: "number" },
      "its paging has the parameter number, but the search has no such parameter",
    ],
    [
      "a text parameter for a number",
      { position: "token" },
      "its parameter token is a string, and its paging needs integer",
    ],
    [
      "a required parameter for the position",
      { style: "cursor", position: "customer", next: "/next" },
      "its parameter customer must be optional",
    ],
    [
      "a first page 1 although the parameter accepts 0",
      { from: 1 },
      "its parameter page accepts 0, before the first page",
    ],
    [
      "larger pages than the schema accepts",
      { size: { name: "size", usual: 20, most: 100 } },
      "its parameter size refuses 100 items, which its paging allows",
    ],
    [
      "a smaller maximum page size than the schema accepts",
      { size: { name: "size", usual: 20, most: 40 } },
      "its parameter size accepts 41 items, which its paging does not allow",
    ],
  ])(
    "the conformance check refuses a search whose paging does not fit the search's schemas: %s",
    (_, change, fault) => {
      expect(faultsOf(change)).toContain(fault);
    },
  );

  it("the conformance check finds a search's paging parameters in the body if the paging names the parameters by JSON Pointers", () => {
    const inBody = {
      position: "/paging/page",
      size: { name: "/paging/size", usual: 20, most: 50 },
    };
    const body = strict({
      paging: z.exactOptional(
        z.strictObject({
          page: z.exactOptional(z.int().check(z.minimum(0))),
          size: z.exactOptional(z.int().check(z.minimum(1), z.maximum(50))),
        }),
      ),
    });
    expect(faultsOf(inBody, { method: "POST", body })).toEqual([]);
    expect(faultsOf(inBody, { method: "POST", body: strict({}) })).toContain(
      "its paging has the parameter /paging/page, but the search has no such parameter",
    );
  });
});
