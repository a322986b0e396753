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
  type Listed,
  listItems,
  type NoList,
  type QueryWay,
} from "../../src/submissions/insurer-list.ts";
import { applicationBody } from "../harness/applications.ts";
import { sampleSubmission } from "../harness/store-samples.ts";
import { pagingBy } from "./model-insurer.ts";

describe("a list that is read page by page", () => {
  const at = Date.now();
  /** An item that the insurer names so, or not at all. */
  const named = (applicationId?: string): object => ({
    ...(applicationId === undefined ? {} : { applicationId }),
    createdAt: new Date(at).toISOString(),
  });
  const [one, two, three] = [named("D-1"), named("D-2"), named("D-3")];

  /** Reads a list whose insurer answers so, one page after the other. */
  async function read(
    paging: Paging,
    pages: readonly object[],
    way: Partial<QueryWay> = {},
  ): Promise<{ readonly listed: Listed | NoList; readonly asked: readonly UpstreamCall[] }> {
    const asked: UpstreamCall[] = [];
    const call = async (_: unknown, upstreamCall: UpstreamCall): Promise<object> => {
      asked.push(upstreamCall);
      const page = { count: null, next: null, ...pages[asked.length - 1] };
      return { status: 200, headers: {}, content: JSON.stringify(page) };
    };
    const search = { endpoint: { ...searchApplications, paging }, upstream: { call } };
    const record = { ...sampleSubmission(), receivedAt: at };
    // The list asks for nothing else of them.
    const listed = await listItems(search as unknown as ProviderRoute, {
      endpoint: createApplication,
      days: createDays("Europe/Athens"),
      record: record as unknown as SubmissionRecord,
      values: reconciliationValues(createApplication, { params: {}, body: applicationBody() }),
      way: { mayAsk: async () => {}, probe: false, ...way },
      stopping: new AbortController().signal,
    });
    return { listed, asked };
  }

  it("is complete when the last page is not full", async () => {
    const { listed } = await read(pagingBy("cursor"), [{ found: [one, two] }]);
    expect(listed).toMatchObject({ complete: true });
  });

  it("is not complete with a full page that names no next one", async () => {
    const found = Array.from({ length: 100 }, (_, index) => named(`D-${index}`));
    const { listed } = await read(pagingBy("cursor"), [{ found }]);
    expect(listed).toMatchObject({ complete: false });
  });

  it.each([
    ["has the same items", [one, two], true],
    ["has another item", [one, three], false],
    ["has one item more", [one, two, three], false],
    ["has one item less", [one], false],
  ])("is complete only when the first page %s at the end", async (_, again, complete) => {
    const pages = [{ found: [one, two] }, { found: [] }, { found: again }];
    const { listed } = await read(pagingBy("page 1"), pages);
    expect(listed).toMatchObject({ complete });
  });

  it.each([
    ["the same item", two, two, true],
    ["another item", two, three, false],
    ["items without an identifier", named(), named(), false],
  ])("is complete only when two pages share their item: %s", async (_, last, first, complete) => {
    const pages = [
      { found: [one, last], count: 3 },
      { found: [first, named("D-4")], count: 3 },
    ];
    const { listed } = await read(pagingBy("start 1"), pages);
    expect(listed).toMatchObject({ complete });
  });

  it.each([
    ["start 1", "does not say how many it could have had", {}, false],
    ["start 1", "could have had more", { could: 100 }, true],
    ["start 1", "is full by its own word", { could: 2 }, false],
    ["page 1", "does not say how many it could have had", {}, false],
    ["page 1", "could have had more", { could: 100 }, true],
  ] as const)(
    "by %s is not complete with a total of its own items, unless the page could have had more: it %s",
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

  it("begins each page at the last item of the one before", async () => {
    const pages = [{ found: [one, two] }, { found: [two, three] }, { found: [three] }];
    const { asked, listed } = await read(pagingBy("start 1"), pages);
    expect(asked.map(({ input }) => input.query.place)).toEqual([1, 2, 3]);
    expect(listed).toMatchObject({ items: [one, two, three], complete: true });
  });

  it("is complete with a page that is not full by the insurer's own size", async () => {
    const { name: _, ...size } = { ...pagingBy("cursor").size, usual: 150 };
    const found = Array.from({ length: 120 }, (_, index) => named(`D-${index}`));
    const { listed } = await read({ ...pagingBy("cursor"), size }, [{ found }]);
    expect(listed).toMatchObject({ complete: true });
  });

  it.each([
    { most: 50, asksFor: 50 },
    { most: 100, asksFor: 100 },
    { most: 500, asksFor: 100 },
  ])("asks for $asksFor items where the insurer gives $most at once", async ({ asksFor, most }) => {
    const paging = { ...pagingBy("cursor"), size: { name: "size", usual: 20, most } };
    const { asked } = await read(paging, [{ found: [one] }]);
    expect(asked.map(({ input }) => Number(input.query.size))).toEqual([asksFor]);
  });

  it.each([false, true])("asks as a probe only when it is one: %s", async (probe) => {
    const { asked } = await read(pagingBy("cursor"), [{ found: [one] }], { probe });
    expect(asked.map(({ once }) => once)).toEqual([{ probe }]);
  });

  it("ends with a fault of the adapter's, which is not the insurer's silence", async () => {
    const fault = new PageRequestsError(searchApplications);
    const failing = {
      get found(): never {
        throw new Refusal("INTERNAL_ERROR", { detail: "" }, fault);
      },
    };
    await expect(read(pagingBy("cursor"), [failing])).rejects.toBe(fault);
  });

  it("waits for its turn before every page", async () => {
    const order: string[] = [];
    const pages = [1, 2].map((number) => ({
      get found() {
        order.push(`page ${number}`);
        return number === 1 ? [one] : [two];
      },
      next: number === 1 ? "more" : null,
    }));
    const mayAsk = async (): Promise<void> => {
      await new Promise((resolve) => void setImmediate(resolve));
      order.push("turn");
    };
    await read(pagingBy("cursor"), [...pages, { found: [one], next: "more" }], { mayAsk });
    expect(order).toEqual(["turn", "page 1", "turn", "page 2", "turn"]);
  });
});
