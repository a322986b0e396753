import {
  Refusal,
  type RefusalDetails,
  reconciliationValues,
} from "@insurance-gateway/core/runtime";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { expect, it } from "vitest";
import { createDays } from "../../src/accounts/usage/days.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";
import type { SubmissionRecord } from "../../src/store/record.ts";
import {
  findByReference,
  type ListQuery,
  readInsurerList,
} from "../../src/submissions/insurer-list.ts";
import { applicationBody } from "../harness/applications.ts";
import { sampleSubmission } from "../harness/store-samples.ts";
import { type PagedBy, pagingBy } from "./model-insurer.ts";

const RECEIVED_AT = Date.parse("2026-11-23T10:00:00Z");
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A list item: its identifier, and its creation time in milliseconds after the gateway received the submission. */
type Item = readonly [id: string, after: number];
/** A page, or the failure of the request for a page. */
type Page =
  | {
      readonly items: readonly Item[];
      readonly total?: number;
      readonly next?: string;
      /** The position and the size (`size`) that the answer states for the page. */
      readonly place?: number;
      readonly size?: number;
    }
  | Pick<RefusalDetails, "attempt" | "reason">;

/** Returns an insurer that answers with the given pages in order, and then repeats the last page. */
function listingOf(paged: PagedBy, pages: readonly Page[]) {
  const asked: unknown[] = [];
  const call = async (_: unknown, upstreamCall: { readonly input: unknown }): Promise<object> => {
    const page = pages[Math.min(asked.length, pages.length - 1)];
    asked.push(upstreamCall);
    if (page === undefined || !("items" in page))
      throw new Refusal("PROVIDER_UNREACHABLE", { detail: "", ...page });
    const found = page.items.map(([applicationId, after]) => ({
      applicationId,
      createdAt: new Date(RECEIVED_AT + after).toISOString(),
    }));
    const { next = null, place, size, total: count = null } = page;
    const content = JSON.stringify({ found, count, next, place, size });
    return { status: 200, headers: {}, content };
  };
  const paging = pagingBy(paged);
  const endpoint = {
    ...searchApplications,
    paging: { ...paging, echo: "/place", size: { ...paging.size, echo: "/size" } },
  };
  // `readInsurerList` uses no other parts.
  const search = {
    endpoint,
    upstream: { call, findsByReference: () => true },
  } as unknown as ProviderRoute;
  const listing: ListQuery = {
    endpoint: createApplication,
    days: createDays("Europe/Athens"),
    record: { ...sampleSubmission(), receivedAt: RECEIVED_AT } as unknown as SubmissionRecord,
    values: reconciliationValues(createApplication, { params: {}, body: applicationBody() }),
    way: { waitForTurn: async () => {}, probe: false },
    stopping: new AbortController().signal,
  };
  return { asked, listing, search };
}

const [A, B, C]: readonly Item[] = [
  ["A", 3 * SECOND],
  ["B", 2 * SECOND],
  ["C", 1 * SECOND],
] as const;
if (A === undefined || B === undefined || C === undefined) throw new TypeError("Three items");
/** An item that is older than the submission even if the insurer's clock is five minutes behind. */
const OLDER: Item = ["O", -5 * MINUTE - 1];
const NOT_OLDER: Item = ["N", -5 * MINUTE];
const none = { items: [] };
const unusable = { attempt: "unusable" } as const;
const unanswered = { attempt: "failed" } as const;

it.each<[string, PagedBy, readonly Page[], number, string, boolean]>([
  [
    "has as many items as its total",
    "start 1",
    [
      { items: [A, B], total: 3 },
      { items: [B, C], total: 3 },
    ],
    2,
    "ABC",
    true,
  ],
  [
    "ends with a page that repeats one item",
    "start 1",
    [{ items: [A, B] }, { items: [B] }],
    2,
    "AB",
    true,
  ],
  [
    "ends before its total",
    "start 1",
    [
      { items: [A, B], total: 4 },
      { items: [B], total: 4 },
    ],
    2,
    "AB",
    false,
  ],
  ["has changed between two pages", "start 1", [{ items: [A, B] }, { items: [C] }], 2, "AB", false],
  ["has an empty page after a full one", "offset", [{ items: [A, B] }, none], 2, "AB", false],
  ["has a page that is not answered", "start 1", [{ items: [A, B] }, unanswered], 2, "AB", false],
  [
    "has one item on its only page",
    "start 1",
    [{ items: [A] }, none, { items: [A] }],
    3,
    "A",
    true,
  ],
  ["is empty", "start 1", [none], 1, "", true],
  ["is empty, and names a next page", "cursor", [{ ...none, total: 0, next: "2" }], 1, "", true],
  [
    "begins with two items of the same time",
    "start 1",
    [{ items: [A, ["A2", A[1]], OLDER], total: 3 }],
    1,
    "AA2O",
    true,
  ],
  [
    "begins with older items of the same time, which show no order",
    "start 1",
    [
      { items: [OLDER, ["P", OLDER[1]]], total: 3 },
      { items: [["P", OLDER[1]], A], total: 3 },
    ],
    2,
    "OPA",
    true,
  ],
  [
    "reaches an item older than the submission",
    "start 1",
    [{ items: [A, OLDER], total: 2 }],
    1,
    "AO",
    true,
  ],
  [
    "reaches an item that may not be older than the submission",
    "start 1",
    [
      { items: [A, NOT_OLDER], total: 3 },
      { items: [NOT_OLDER, OLDER], total: 3 },
    ],
    2,
    "ANO",
    true,
  ],
  [
    "has an older item before a newer one",
    "start 1",
    [
      { items: [A, OLDER, B, ["P", -9 * MINUTE]], total: 5 },
      { items: [["P", -9 * MINUTE], C], total: 5 },
    ],
    2,
    "AOBPC",
    true,
  ],
  ["cannot be read", "start 1", [unusable], 1, "", false],
  ["ends with an empty page", "page 1", [{ items: [A] }, none, { items: [A] }], 3, "A", true],
  [
    "ends before its total",
    "page 1",
    [
      { items: [A], total: 3 },
      { items: [], total: 3 },
    ],
    2,
    "A",
    false,
  ],
  [
    "has a page twice",
    "page 1",
    [{ items: [A, B] }, { items: [B, C] }, none, none],
    2,
    "ABBC",
    false,
  ],
  ["has a page that is not answered", "page 1", [{ items: [A] }, unanswered], 2, "A", false],
  [
    "has another item when it is read again",
    "page 1",
    [{ items: [A] }, { items: [B] }, none, { items: [C] }],
    4,
    "AB",
    false,
  ],
  [
    "has another item on its second page when it is read again",
    "page 1",
    [{ items: [A] }, { items: [B] }, none, { items: [A] }, { items: [C] }],
    5,
    "AB",
    false,
  ],
  [
    "is not answered when it is read again",
    "page 1",
    [{ items: [A] }, none, unanswered],
    3,
    "A",
    false,
  ],
  ["reaches an item older than the submission", "page 1", [{ items: [A, OLDER] }], 1, "AO", true],
  [
    "has two pages",
    "cursor",
    [{ items: [A], next: "2" }, { items: [B] }, { items: [A] }],
    3,
    "AB",
    true,
  ],
  [
    "names the same cursor twice",
    "cursor",
    [
      { items: [A], next: "2" },
      { items: [B], next: "2" },
    ],
    2,
    "AB",
    false,
  ],
  [
    "has as many items as its total and no next page",
    "cursor",
    [{ items: [A, B], total: 2 }],
    1,
    "AB",
    true,
  ],
  ["ends before its total", "cursor", [{ items: [A, B], total: 3 }], 1, "AB", false],
])(
  "the gateway decides whether a list is complete: the list %s (paging by %s, row %#)",
  async (_, paged, pages, questions, ids, complete) => {
    const { asked, listing, search } = listingOf(paged, pages);
    const listed = Object(await readInsurerList(search, listing));
    const found = listed.items
      .map((item: { applicationId: string }) => item.applicationId)
      .join("");
    expect([found, listed.complete, asked.length]).toEqual([ids, complete, questions]);
  },
);

it.each<[string, PagedBy, readonly Page[], boolean]>([
  ["repeats the requested position and size", "start 1", [{ ...none, place: 1, size: 100 }], true],
  ["states no position and size", "start 1", [none], true],
  ["states a smaller page size", "start 1", [{ ...none, size: 20 }], true],
  ["begins at another item", "start 1", [{ ...none, place: 2 }], false],
  ["states another page number", "page 0", [{ ...none, place: 1 }], false],
  ["states a larger page size", "start 1", [{ ...none, size: 1_000 }], false],
  ["states a page size of 0", "start 1", [{ ...none, size: 0 }], false],
  ["has more items than its total", "start 1", [{ items: [A, OLDER], total: 1 }], false],
  [
    "has a second page that begins at another item",
    "start 1",
    [
      { items: [A, B], place: 1 },
      { items: [B, OLDER], place: 3 },
    ],
    false,
  ],
  [
    "has a second page with another number",
    "page 1",
    [
      { items: [A], place: 1 },
      { ...none, place: 3 },
      { items: [A], place: 1 },
    ],
    false,
  ],
  [
    "has another page number when read again",
    "page 1",
    [{ items: [A], place: 1 }, none, { items: [A], place: 2 }],
    false,
  ],
])(
  "the gateway checks that each page agrees with its request: the list %s (paging by %s, row %#)",
  async (_, paged, pages, pagesFitRequests) => {
    const { listing, search } = listingOf(paged, pages);
    expect(await readInsurerList(search, listing)).toMatchObject({ pagesFitRequests });
  },
);

it("the gateway does not consider a list complete at an old item if the item's page has fewer items than requested and than the total", async () => {
  const pages = [
    { items: [A, OLDER], total: 3 },
    { items: [OLDER], total: 3 },
  ];
  const { listing, search } = listingOf("start 1", pages);
  expect(await readInsurerList(search, listing)).toMatchObject({ complete: false });
});

it.each([
  [unanswered, "unanswered"],
  [{}, "unanswered"],
  [{ attempt: "cancelled" } as const, "unanswered"],
  [{ attempt: "answered" } as const, { items: [], complete: false, pagesFitRequests: false }],
  [unusable, { items: [], complete: false, pagesFitRequests: false }],
  [{ attempt: "credentials_refused" } as const, "no_credentials"],
  [{ reason: "credentials_unreachable" }, "no_credentials"],
  [{ reason: "connection_refused" }, "unanswered"],
])(
  "the gateway reports why the request for the first page of an insurer's list failed: %j",
  async (failure, expected) => {
    const { listing, search } = listingOf("start 1", [failure]);
    expect(await readInsurerList(search, listing)).toEqual(expected);
    const byReference = await findByReference(search, listing);
    expect(byReference).toBe(typeof expected === "string" ? expected : null);
  },
);

it.each([
  [[], null],
  [[A], "A"],
  [[A, B], null],
])(
  "a query by reference finds a submission only if the answer has exactly one item: %j, found: %s",
  async (items, expected) => {
    const { asked, listing, search } = listingOf("start 1", [{ items }]);
    const found = Object(await findByReference(search, listing));
    expect(found.item?.applicationId ?? null).toBe(expected);
    const { id } = listing.record;
    expect(asked).toMatchObject([
      { submissionId: id, requestId: id, input: { query: { size: 1 } } },
    ]);
  },
);

it.each([
  // The gateway reads every page except the last twice, with at most ten requests.
  ["page 1", 5, true, 9],
  ["page 1", 6, false, 10],
] as const)(
  "the gateway considers a list complete only if the list has at most ten pages: paging by %s, %i pages, complete: %s",
  async (paged, count, complete, questions) => {
    const itemsOf = (page: number): readonly Item[] => (page < count ? [[`I${page}`, -page]] : []);
    const pages = Array.from({ length: count }, (_, page) => ({ items: itemsOf(page + 1) }));
    const again = pages.slice(0, -1);
    const { asked, listing, search } = listingOf(paged, [...pages, ...again]);
    const listed = Object(await readInsurerList(search, listing));
    expect([listed.complete, asked.length]).toEqual([complete, questions]);
  },
);
