import { createGateway, type Gateway, ResponseInvalidError } from "@insurance-gateway/core";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runsInProcess } from "../harness/command-line.ts";
import { type Arrival, json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { clientAfm, type PagedSite, startPagedSite } from "./paged-insurer.ts";

let site: PagedSite;
let client: Gateway;
beforeAll(async () => {
  site = await startPagedSite();
  client = createGateway({ baseUrl: site.gateway.address, token: site.gateway.token });
});
afterAll(async () => {
  await client.close();
  await site.stop();
});
beforeEach(() => site.reset());

function searchOf(name: string): Endpoint<"search"> {
  // All endpoints of the package except one are searches.
  return site.endpoints[name] as Endpoint<"search">;
}

function get(path: string): Promise<Response> {
  return site.gateway.ask(`/provider-p${path}`);
}

/** Returns the pages that the gateway requested: each query without the customer, or the paging fields of the body. */
function asked(): readonly string[] {
  return site.insurer.arrivals.map(({ body, url }: Arrival) => {
    const { searchParams } = new URL(url, "http://insurer");
    searchParams.delete("clientAfm");
    return body === "" ? searchParams.toString() : JSON.stringify(JSON.parse(body).paging);
  });
}

/** Sorts the parameters of a query by their names. */
function sorted(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return parameters.toString();
}

const query = { clientAfm };
const styles: [name: string, input: object, asked: readonly string[]][] = [
  ["byStart", { query }, ["first=0&count=2", "first=2&count=2", "first=4&count=2"]],
  ["byOffset", { query }, ["offset=0&count=2", "offset=2&count=2", "offset=4&count=2"]],
  ["byPage", { query }, ["page=0&size=2", "page=1&size=2", "page=2&size=2"]],
  ["byCursor", { query }, ["count=2", "cursor=c2&count=2", "cursor=c4&count=2"]],
  ["byLink", { query }, ["", "after=2", "after=4"]],
  [
    "byBody",
    { body: { clientAfm } },
    ['{"number":1,"size":2}', '{"number":2,"size":2}', '{"number":3,"size":2}'],
  ],
];

describe("a search with the insurer's paging style", () => {
  it.each(styles)(
    "a search returns every item exactly once if the caller reads page after page with the default page size: %s",
    async (name, input, pages) => {
      const found: unknown[] = [];
      for await (const item of client.call(searchOf(name), input)) found.push(item);
      expect(found).toEqual(site.insurer.claims);
      expect(asked().map(sorted)).toEqual(pages.map(sorted));
    },
  );

  it("a search of the client returns the first page as the insurer sent it if the program awaits the search", async () => {
    expect(await client.call(searchOf("byPage"), { query })).toEqual({
      content: site.insurer.claims.slice(0, 2),
      totalElements: 5,
    });
    expect(site.insurer.arrivals).toHaveLength(1);
  });

  it("a search begins at the position that the caller names, and has pages of the size that the caller names", async () => {
    const sizes: number[] = [];
    const pages = client
      .call(searchOf("byPage"), { query: { clientAfm, page: 1, size: 2 } })
      .pages();
    for await (const page of pages) sizes.push(Object(page).content.length);
    expect(sizes).toEqual([2, 1]);
  });

  it.each([
    "/page?clientAfm=123456789&size=51",
    "/page?clientAfm=123456789&page=-1",
    "/page?clientAfm=123456789&start=1",
    "/offset?clientAfm=123456789&count=0",
  ])("the gateway refuses a search with an invalid position or page size: %s", async (path) => {
    expect((await problemIn(await get(path))).code).toBe("VALIDATION_FAILED");
    expect(site.insurer.arrivals).toHaveLength(0);
  });

  it("the caller receives the total number of items that the insurer states in a header", async () => {
    const response = await get("/offset?clientAfm=123456789");
    expect(response.headers.get("x-total-count")).toBe("5");
  });

  it("the caller receives a cursor in place of the insurer's `Link` header, without the insurer's address", async () => {
    const response = await get("/link?clientAfm=123456789");
    expect(response.headers.get("next-cursor")).toBe("2");
    expect(response.headers.get("link")).toBeNull();
    expect(JSON.stringify([...response.headers])).not.toMatch(/insurer\.example|v7/);
    const last = await get("/link?clientAfm=123456789&after=4");
    expect(last.headers.get("next-cursor")).toBeNull();
  });

  it.each([
    ["no cursor", "</link?clientAfm=123456789>"],
    ["another search", "</link?clientAfm=987654321&after=2>"],
    ["an unknown parameter", "</link?clientAfm=123456789&after=2&session=1>"],
    ["two cursors", "</link?after=2&after=3>"],
  ])(
    "the gateway refuses a page whose `Link` to the next page is unusable: %s",
    async (_, link) => {
      site.insurer.behaviour = json(200, site.insurer.claims.slice(0, 2), {
        link: `${link}; rel="next"`,
      });
      expect((await problemIn(await get("/link?clientAfm=123456789"))).code).toBe(
        "PROVIDER_BAD_RESPONSE",
      );
    },
  );

  it("the gateway refuses a page whose cursor is an address", async () => {
    const next = "https://insurer.example/v7/claims?cursor=c2";
    site.insurer.behaviour = json(200, { data: site.insurer.claims.slice(0, 2), meta: { next } });
    expect((await problemIn(await get("/cursor?clientAfm=123456789"))).code).toBe(
      "PROVIDER_BAD_RESPONSE",
    );
  });

  it.each([
    ["ignores the page number", "byPage", { content: [1, 2], totalElements: 9 }],
    ["repeats the first cursor", "byCursor", { data: [3, 4], meta: { next: "c2" } }],
    ["returns another page than requested", "byStart", { claims: [1, 2], from: 0 }],
  ])(
    "the client ends a search with an error, and does not loop endlessly, if the insurer %s",
    async (_, name, answer) => {
      let page = 0;
      site.insurer.behaviour = (response, arrival) => {
        page += name === "byCursor" ? 2 : 0;
        const some = site.claimsOf(2, page);
        const text = JSON.stringify(answer).replace(/\[\d,\d\]/, JSON.stringify(some));
        json(200, text)(response, arrival);
      };
      const loop = (async () => {
        const found: unknown[] = [];
        for await (const item of client.call(searchOf(name), { query })) found.push(item);
        return found;
      })();
      await expect(loop).rejects.toSatisfy((error) => ResponseInvalidError.isInstance(error));
      expect(site.insurer.arrivals).toHaveLength(2);
    },
  );
});

describe("a search on the command line", () => {
  const call = async (...flags: readonly string[]) => {
    const run = runsInProcess({ folder: site.gateway.folder.path, address: site.gateway.address });
    const environment = { GATEWAY_TOKEN: site.gateway.token };
    const parameters = ["call", "provider-p", ...flags, "--client-afm", clientAfm];
    const { stderr, stdout } = await run(parameters, { environment });
    return { stderr, answer: JSON.parse(stdout) };
  };

  it("the command `call` prints the answer to a search and the cursor of the next page", async () => {
    expect(await call("byLink")).toEqual({
      answer: site.insurer.claims.slice(0, 2),
      stderr: "next page: after 2; every page: --all\n",
    });
    expect((await call("byLink", "--after", "4")).stderr).toBe("");
  });

  it("the command `call` reads every page of a search if the flag `--all` is set", async () => {
    const { answer } = await call("byOffset", "--all");
    expect(answer).toEqual({ items: site.insurer.claims, total: 5 });
  });
});
