import { describe, expect, it } from "vitest";
import { ResponseInvalidError } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import { issuedPolicy, type Policy, searchPolicies } from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { json, problem } from "../harness/replies.ts";
import { type Reply, scriptedServer } from "../harness/scripted-server.ts";

const query = { clientAfm: "123456789" };

/** Returns the simulated insurer's policies M-1, M-2, … */
function policies(count: number): readonly Policy[] {
  return Array.from({ length: count }, (_, index) => ({
    ...issuedPolicy,
    policyId: `M-${index + 1}`,
  }));
}

/** Serves a list page by page, as the query of each request demands. */
function listOf(count: number, tellsTotal = true): Reply {
  return (response, arrival) => {
    const { searchParams } = new URL(arrival.target, "http://any");
    const start = Number(searchParams.get("start") ?? 1);
    const limit = Number(searchParams.get("limit") ?? 20);
    const items = policies(count).slice(start - 1, start - 1 + limit);
    json({ items, start, limit, total: tellsTotal ? count : null })(response, arrival);
  };
}

async function idsOf(found: AsyncIterable<Policy>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { policyId } of found) ids.push(policyId);
  return ids;
}

async function search(reply: Reply, paging: { start?: number; limit?: number } = {}) {
  const server = await scriptedServer(reply);
  const found = connect(server.address).call(searchPolicies, { query: { ...query, ...paging } });
  const asked = (): readonly string[] =>
    server.arrivals.map(({ target }) => new URL(target, "http://any").search);
  return { found, asked };
}

const ids = (count: number): readonly string[] => policies(count).map(({ policyId }) => policyId);

describe("searches", () => {
  it("an awaited search returns its first page and requests no other page", async () => {
    const { found, asked } = await search(listOf(45));
    expect(await found).toMatchObject({ start: 1, limit: 20, total: 45 });
    expect((await found).items.map(({ policyId }) => policyId)).toEqual(ids(20));
    expect(asked()).toEqual(["?clientAfm=123456789&start=1"]);
  });

  it("`withResponse()` of a search returns the first page and the status of its answer", async () => {
    const { found } = await search(listOf(1));
    const { data, response } = await found.withResponse();
    expect(response.status).toBe(200);
    expect(data.total).toBe(1);
  });

  it("an iterated search returns the items of every page in order, each only once", async () => {
    const { found, asked } = await search(listOf(45));
    expect(await idsOf(found)).toEqual(ids(45));
    expect(asked()).toEqual([
      "?clientAfm=123456789&start=1",
      "?clientAfm=123456789&start=21",
      "?clientAfm=123456789&start=41",
    ]);
  });

  it("a search requests its first page only once if it is both awaited and iterated", async () => {
    const { found, asked } = await search(listOf(3));
    await found;
    expect(await idsOf(found)).toEqual(ids(3));
    expect(asked()).toHaveLength(1);
  });

  it("a search starts at the given position and keeps the given limit", async () => {
    const { found, asked } = await search(listOf(7), { start: 3, limit: 2 });
    expect(await idsOf(found)).toEqual(["M-3", "M-4", "M-5", "M-6", "M-7"]);
    expect(asked()).toEqual([
      "?clientAfm=123456789&start=3&limit=2",
      "?clientAfm=123456789&start=5&limit=2",
      "?clientAfm=123456789&start=7&limit=2",
    ]);
  });

  it("`pages()` of a search returns whole pages", async () => {
    const { found } = await search(listOf(5), { limit: 2 });
    const sizes: number[] = [];
    for await (const { items, total } of found.pages()) sizes.push(items.length, total ?? -1);
    expect(sizes).toEqual([2, 5, 2, 5, 1, 5]);
  });

  it.each([
    [5, 3],
    [4, 3],
    [1, 1],
    [0, 1],
  ])("a search of %i items without a total ends after %i requests", async (count, requests) => {
    const { found, asked } = await search(listOf(count, false), { limit: 2 });
    expect(await idsOf(found)).toEqual(ids(count));
    expect(asked()).toHaveLength(requests);
  });

  it("a search requests no empty page if the last page is full", async () => {
    const { found, asked } = await search(listOf(4), { limit: 2 });
    expect(await idsOf(found)).toEqual(ids(4));
    expect(asked()).toHaveLength(2);
  });

  it("a search without a match returns an empty list", async () => {
    const { found, asked } = await search(listOf(0));
    expect(await found).toEqual({ items: [], start: 1, limit: 20, total: 0 });
    expect(await idsOf(found)).toEqual([]);
    expect(asked()).toHaveLength(1);
  });

  it("a search ends without an error if the insurer's list is shorter than the reported total", async () => {
    const short = json({ items: [], start: 1, limit: 20, total: 3 });
    const { found, asked } = await search(short);
    expect(await idsOf(found)).toEqual([]);
    expect(asked()).toHaveLength(1);
  });

  it("a search continues if the insurer's pages are smaller than requested", async () => {
    const { found } = await search((response, arrival) => {
      const start = Number(new URL(arrival.target, "http://any").searchParams.get("start"));
      const items = policies(5).slice(start - 1, start + 1);
      json({ items, start, limit: 20, total: 5 })(response, arrival);
    });
    expect(await idsOf(found)).toEqual(ids(5));
  });

  it.each([
    [5, 3],
    [4, 3],
    [1, 1],
  ])(
    "a search of %i items reads all pages in %i requests if `total` counts only the items of a page",
    async (count, requests) => {
      const { found, asked } = await search(
        (response, arrival) => {
          const start = Number(new URL(arrival.target, "http://any").searchParams.get("start"));
          const items = policies(count).slice(start - 1, start + 1);
          json({ items, start, limit: 2, total: items.length })(response, arrival);
        },
        { limit: 2 },
      );
      expect(await idsOf(found)).toEqual(ids(count));
      expect(asked()).toHaveLength(requests);
    },
  );

  it("a search throws an error instead of looping without end if the insurer ignores the start position", async () => {
    const { found, asked } = await search(
      json({ items: policies(2), start: 1, limit: 2, total: 100 }),
    );
    const seen: string[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const { policyId } of found) seen.push(policyId);
      })(),
    );
    expect(ResponseInvalidError.isInstance(failure)).toBe(true);
    expect(String(failure)).toContain("The answer is not the requested page.");
    expect(seen).toEqual(ids(2));
    expect(asked()).toHaveLength(2);
  });

  it("a search requests no further page after the calling program leaves the loop", async () => {
    const { found, asked } = await search(listOf(45));
    for await (const { policyId } of found) if (policyId === "M-20") break;
    expect(asked()).toHaveLength(1);
    for await (const { policyId } of found) if (policyId === "M-21") break;
    expect(asked()).toHaveLength(2);
  });

  it("a search returns the items of the first page and then throws the error of the next page", async () => {
    const refusal = problem({ status: 422, code: "PROVIDER_REJECTED", retry: "never" });
    const { found } = await search((response, arrival) =>
      (arrival.target.includes("start=1") ? listOf(45) : refusal)(response, arrival),
    );
    const seen: string[] = [];
    const loop = (async () => {
      for await (const { policyId } of found) seen.push(policyId);
    })();
    expect(await failureOf(loop)).toMatchObject({ code: "PROVIDER_REJECTED" });
    expect(seen).toEqual(ids(20));
  });

  it("a failed search throws the same error when awaited and when iterated", async () => {
    const { found, asked } = await search(problem({ status: 422, retry: "never" }));
    const awaited = await failureOf(found);
    expect(awaited).toMatchObject({ status: 422 });
    expect(await failureOf(idsOf(found))).toBe(awaited);
    expect(asked()).toHaveLength(1);
  });
});
