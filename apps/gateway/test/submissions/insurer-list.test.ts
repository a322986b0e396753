import { PageRequestsError } from "@insurance-gateway/adapter";
import type { Paging } from "@insurance-gateway/core/contract";
import { Refusal, reconciliationValues } from "@insurance-gateway/core/runtime";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { describe, expect, it } from "vitest";
import { createDays } from "../../src/accounts/usage/days.ts";
import type { UpstreamCall } from "../../src/insurers/call.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";
import type { SubmissionRecord } from "../../src/store/record.ts";
import {
  type InsurerList,
  type NoListReason,
  type QueryParameters,
  readInsurerList,
} from "../../src/submissions/insurer-list.ts";
import { applicationBody } from "../harness/applications.ts";
import { sampleSubmission } from "../harness/store-samples.ts";
import { pagingBy } from "./model-insurer.ts";

describe("lists that the gateway reads page by page", () => {
  const at = Date.now();
  /** Returns a list item with this identifier, or without an identifier. */
  const named = (applicationId?: string): object => ({
    ...(applicationId === undefined ? {} : { applicationId }),
    createdAt: new Date(at).toISOString(),
  });
  const [one, two, three] = [named("D-1"), named("D-2"), named("D-3")];

  /** Reads a list from an insurer that answers with the given pages, one after the other. */
  async function read(
    paging: Paging,
    pages: readonly object[],
    way: Partial<QueryParameters> = {},
  ): Promise<{
    readonly listed: InsurerList | NoListReason;
    readonly asked: readonly UpstreamCall[];
  }> {
    const asked: UpstreamCall[] = [];
    const call = async (_: unknown, upstreamCall: UpstreamCall): Promise<object> => {
      asked.push(upstreamCall);
      const page = { count: null, next: null, ...pages[asked.length - 1] };
      return { status: 200, headers: {}, content: JSON.stringify(page) };
    };
    const search = { endpoint: { ...searchApplications, paging }, upstream: { call } };
    const record = { ...sampleSubmission(), receivedAt: at };
    // `readInsurerList` uses no other parts.
    const listed = await readInsurerList(search as unknown as ProviderRoute, {
      endpoint: createApplication,
      days: createDays("Europe/Athens"),
      record: record as unknown as SubmissionRecord,
      values: reconciliationValues(createApplication, { params: {}, body: applicationBody() }),
      way: { waitForTurn: async () => {}, probe: false, ...way },
      stopping: new AbortController().signal,
    });
    return { listed, asked };
  }

  it("the gateway considers an insurer's list complete if the last page is not full", async () => {
    const { listed } = await read(pagingBy("cursor"), [{ found: [one, two] }]);
    expect(listed).toMatchObject({ complete: true });
  });

  it("the gateway considers an insurer's list incomplete if a full page does not name the next page", async () => {
    const found = Array.from({ length: 100 }, (_, index) => named(`D-${index}`));
    const { listed } = await read(pagingBy("cursor"), [{ found }]);
    expect(listed).toMatchObject({ complete: false });
  });

  it.each([
    ["has the same items", [one, two], true],
    ["has another item", [one, three], false],
    ["has one item more", [one, two, three], false],
    ["has one item less", [one], false],
  ])(
    "the gateway considers a list complete only if a second reading of the first page shows no change: the page %s",
    async (_, again, complete) => {
      const pages = [{ found: [one, two] }, { found: [] }, { found: again }];
      const { listed } = await read(pagingBy("page 1"), pages);
      expect(listed).toMatchObject({ complete });
    },
  );

  it.each([
    ["the same item", two, two, true],
    ["another item", two, three, false],
    ["items without an identifier", named(), named(), false],
  ])(
    "the gateway considers a list complete only if each page begins with the last item of the previous page: %s",
    async (_, last, first, complete) => {
      const pages = [
        { found: [one, last], count: 3 },
        { found: [first, named("D-4")], count: 3 },
      ];
      const { listed } = await read(pagingBy("start 1"), pages);
      expect(listed).toMatchObject({ complete });
    },
  );

  it.each([
    ["start 1", "states no maximum size", {}, false],
    ["start 1", "had room for more items", { could: 100 }, true],
    ["start 1", "is full", { could: 2 }, false],
    ["page 1", "states no maximum size", {}, false],
    ["page 1", "had room for more items", { could: 100 }, true],
  ] as const)(
    "a list whose total equals the items of one page is complete only if the page had room for more: paging by %s, the page %s",
    async (paged, _, more, complete) => {
      const paging = pagingBy(paged);
      const { asked, listed } = await read(
        { ...paging, size: { ...paging.size, echo: "/could" } },
        [
          { found: [one, two], count: 2, ...more },
          { found: [two, three], count: 2, ...more },
        ],
      );
      expect(asked.length > 1).toBe(!complete);
      if (complete) expect(listed).toMatchObject({ complete });
      else expect(Object(listed).items.slice(0, 2)).toEqual([one, two]);
    },
  );

  it("the gateway requests each page from the last item of the previous page", async () => {
    const pages = [{ found: [one, two] }, { found: [two, three] }, { found: [three] }];
    const { asked, listed } = await read(pagingBy("start 1"), pages);
    expect(asked.map(({ input }) => input.query.place)).toEqual([1, 2, 3]);
    expect(listed).toMatchObject({ items: [one, two, three], complete: true });
  });

  it("the gateway considers a list complete if the last page has fewer items than the insurer's usual page size", async () => {
    const { name: _, ...size } = { ...pagingBy("cursor").size, usual: 150 };
    const found = Array.from({ length: 120 }, (_, index) => named(`D-${index}`));
    const { listed } = await read({ ...pagingBy("cursor"), size }, [{ found }]);
    expect(listed).toMatchObject({ complete: true });
  });

  it.each([
    { most: 50, asksFor: 50 },
    { most: 100, asksFor: 100 },
    { most: 500, asksFor: 100 },
  ])(
    "the gateway requests $asksFor items per page of a list if the insurer's maximum is $most",
    async ({ asksFor, most }) => {
      const paging = { ...pagingBy("cursor"), size: { name: "size", usual: 20, most } };
      const { asked } = await read(paging, [{ found: [one] }]);
      expect(asked.map(({ input }) => Number(input.query.size))).toEqual([asksFor]);
    },
  );

  it.each([false, true])(
    "the gateway sends a query as a probe only if the schedule requests a probe: %s",
    async (probe) => {
      const { asked } = await read(pagingBy("cursor"), [{ found: [one] }], { probe });
      expect(asked.map(({ once }) => once)).toEqual([{ probe }]);
    },
  );

  it("the gateway reports a fault of the adapter as an error, not as an insurer that does not answer", async () => {
    const fault = new PageRequestsError(searchApplications);
    const failing = {
      get found(): never {
        throw new Refusal("INTERNAL_ERROR", { detail: "" }, fault);
      },
    };
    await expect(read(pagingBy("cursor"), [failing])).rejects.toBe(fault);
  });

  it("the gateway waits for the rate limit before it requests each page", async () => {
    const order: string[] = [];
    const pages = [1, 2].map((number) => ({
      get found() {
        order.push(`page ${number}`);
        return number === 1 ? [one] : [two];
      },
      next: number === 1 ? "more" : null,
    }));
    const waitForTurn = async (): Promise<void> => {
      await new Promise((resolve) => void setImmediate(resolve));
      order.push("turn");
    };
    await read(pagingBy("cursor"), [...pages, { found: [one], next: "more" }], { waitForTurn });
    expect(order).toEqual(["turn", "page 1", "turn", "page 2", "turn"]);
  });
});
