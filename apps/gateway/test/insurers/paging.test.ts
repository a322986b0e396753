import { createGateway, type Gateway, ResponseInvalidError } from "@insurance-gateway/core";
import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runsInProcess } from "../harness/command-line.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Arrival, json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { installPackage } from "../harness/provider-package.ts";
import {
  type Claim,
  PAGED_PACKAGE,
  type PagedInsurer,
  startPagedInsurer,
} from "./paged-insurer.ts";

const SECOND = 1_000;
const clientAfm = "123456789";

let time: HeldTime;
let insurer: PagedInsurer;
let gateway: GatewayInProcess;
let client: Gateway;
let endpoints: Readonly<Record<string, Endpoint>>;
beforeAll(async () => {
  time = holdTime();
  insurer = await startPagedInsurer();
  const folder = makeGatewayFolder();
  const module = installPackage(folder, "provider-p", PAGED_PACKAGE);
  // The package that the test has written exports this name.
  const { providerP } = (await import(module)) as { readonly providerP: Provider };
  endpoints = providerP.endpoints;
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), package: "provider-p" };
  const configuration = {
    providers: [{ ...provider, breaker: { failuresInRow: 10_000, minCalls: 10_000 } }],
    submissions: { queriesPerSecond: 1_000 },
  };
  gateway = await startInProcess(configuration, {}, { folder, time });
  client = createGateway({ baseUrl: gateway.address, token: gateway.token });
});
afterAll(async () => {
  await client.close();
  await gateway.stop();
  await insurer.close();
});
beforeEach(() => {
  insurer.claims = claims(5);
  insurer.beforePage = () => {};
  insurer.arrivals.length = 0;
});

function claims(count: number, begin = 1): readonly Claim[] {
  const createdAt = new Date(time.now()).toISOString();
  return Array.from({ length: count }, (_, index) => ({
    claimId: `C-${begin + index}`,
    clientAfm,
    createdAt,
  }));
}

function searchOf(name: string): Endpoint<"search"> {
  // All endpoints of the package except one are searches.
  return endpoints[name] as Endpoint<"search">;
}

function get(path: string): Promise<Response> {
  return gateway.ask(`/provider-p${path}`);
}

/** Returns the pages that the gateway requested: each query without the customer, or the paging fields of the body. */
function asked(): readonly string[] {
  return insurer.arrivals.map(({ body, url }: Arrival) => {
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
      expect(found).toEqual(insurer.claims);
      expect(asked().map(sorted)).toEqual(pages.map(sorted));
    },
  );

  it("an awaited search of the client returns the first page as the insurer sent it", async () => {
    expect(await client.call(searchOf("byPage"), { query })).toEqual({
      content: insurer.claims.slice(0, 2),
      totalElements: 5,
    });
    expect(insurer.arrivals).toHaveLength(1);
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
    expect(insurer.arrivals).toHaveLength(0);
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
      const usual = insurer.behaviour;
      insurer.behaviour = json(200, insurer.claims.slice(0, 2), { link: `${link}; rel="next"` });
      expect((await problemIn(await get("/link?clientAfm=123456789"))).code).toBe(
        "PROVIDER_BAD_RESPONSE",
      );
      insurer.behaviour = usual;
    },
  );

  it("the gateway refuses a page whose cursor is an address", async () => {
    const usual = insurer.behaviour;
    const next = "https://insurer.example/v7/claims?cursor=c2";
    insurer.behaviour = json(200, { data: insurer.claims.slice(0, 2), meta: { next } });
    expect((await problemIn(await get("/cursor?clientAfm=123456789"))).code).toBe(
      "PROVIDER_BAD_RESPONSE",
    );
    insurer.behaviour = usual;
  });

  it.each([
    ["ignores the page number", "byPage", { content: [1, 2], totalElements: 9 }],
    ["repeats the first cursor", "byCursor", { data: [3, 4], meta: { next: "c2" } }],
    ["returns another page than requested", "byStart", { claims: [1, 2], from: 0 }],
  ])(
    "the client ends a search with an error, and does not loop endlessly, if the insurer %s",
    async (_, name, answer) => {
      const usual = insurer.behaviour;
      let page = 0;
      insurer.behaviour = (response, arrival) => {
        page += name === "byCursor" ? 2 : 0;
        const some = claims(2, page);
        const text = JSON.stringify(answer).replace(/\[\d,\d\]/, JSON.stringify(some));
        json(200, text)(response, arrival);
      };
      const loop = (async () => {
        const found: unknown[] = [];
        for await (const item of client.call(searchOf(name), { query })) found.push(item);
        return found;
      })();
      await expect(loop).rejects.toSatisfy((error) => ResponseInvalidError.isInstance(error));
      expect(insurer.arrivals).toHaveLength(2);
      insurer.behaviour = usual;
    },
  );
});

describe("a search on the command line", () => {
  const call = async (...flags: readonly string[]) => {
    const run = runsInProcess({ folder: gateway.folder.path, address: gateway.address });
    const environment = { GATEWAY_TOKEN: gateway.token };
    const parameters = ["call", "provider-p", ...flags, "--client-afm", clientAfm];
    const { stderr, stdout } = await run(parameters, { environment });
    return { stderr, answer: JSON.parse(stdout) };
  };

  it("the command `call` prints the answer to a search and the cursor of the next page", async () => {
    expect(await call("byLink")).toEqual({
      answer: insurer.claims.slice(0, 2),
      stderr: "next page: after 2; every page: --all\n",
    });
    expect((await call("byLink", "--after", "4")).stderr).toBe("");
  });

  it("the command `call` reads every page of a search if the flag `--all` is set", async () => {
    const { answer } = await call("byOffset", "--all");
    expect(answer).toEqual({ items: insurer.claims, total: 5 });
  });
});

describe("a submission of unknown outcome whose search has page numbers", () => {
  let number = 0;
  async function submitInVain(): Promise<{ readonly afm: string; readonly address: string }> {
    number += 1;
    const afm = String(200_000_000 + number);
    const response = await fetch(`${gateway.address}/provider-p/north/claims`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${gateway.token}`,
        "content-type": "application/json",
        "idempotency-key": `key-${number}`,
      },
      body: JSON.stringify({ clientAfm: afm }),
    });
    const { reconciliation } = await problemIn(response);
    return { afm, address: String(Reflect.get(Object(reconciliation), "href")) };
  }
  async function stateAfter(address: string, ...waits: readonly number[]): Promise<unknown> {
    for (const wait of waits) {
      time.forward(wait);
      await time.tick();
    }
    const response = await gateway.ask(address);
    return Reflect.get(Object(await response.json()), "state");
  }
  function ownClaim(afm: string): Claim {
    return { claimId: `OWN-${afm}`, clientAfm: afm, createdAt: new Date(time.now()).toISOString() };
  }
  const settled = [2 * SECOND, 30 * SECOND, 120 * SECOND];

  it("the gateway finds a submission on the second page of its tenant's list, and reads both pages twice as proof", async () => {
    const { address, afm } = await submitInVain();
    insurer.claims = [...claims(100), ownClaim(afm)];
    insurer.arrivals.length = 0;
    expect(await stateAfter(address, 2 * SECOND)).toBe("succeeded");
    expect(insurer.arrivals.map(({ url }) => url)).toEqual(
      [1, 2, 3, 1, 2].map((page) => `/api/north/claims?clientAfm=${afm}&page=${page}&size=100`),
    );
  });

  it("a submission counts as failed if the gateway reads the insurer's whole unchanged list twice and does not find the submission", async () => {
    const { address } = await submitInVain();
    insurer.claims = [];
    // Two queries, at least 5 minutes apart, prove that the insurer does not have the submission.
    expect(await stateAfter(address, ...settled, 600 * SECOND)).toBe("failed");
  });

  it("a submission does not count as failed if another item disappears from the list while the gateway reads the pages", async () => {
    const { address, afm } = await submitInVain();
    const own = ownClaim(afm);
    // Items with the same creation time are in no certain order, so that the gateway reads the whole list.
    const createdAt = new Date(time.now() - 3_600 * SECOND).toISOString();
    insurer.claims = [...claims(100).map((claim) => ({ ...claim, createdAt })), own];
    insurer.beforePage = ({ url }) => {
      if (url.includes("page=2") && url.includes(afm)) insurer.claims = insurer.claims.slice(-100);
    };
    expect(await stateAfter(address, 150 * SECOND)).toBe("outcome_unknown");
    insurer.beforePage = () => {};
    expect(await stateAfter(address, ...settled)).toBe("succeeded");
  });

  it("a submission does not count as failed if the insurer's search returns the first page for every page number", async () => {
    const { address, afm } = await submitInVain();
    const usual = insurer.behaviour;
    insurer.behaviour = json(200, { claims: claims(100) });
    expect(await stateAfter(address, 2 * SECOND)).toBe("outcome_unknown");
    expect(insurer.arrivals.filter(({ url }) => url.includes(afm))).toHaveLength(2);
    expect(await stateAfter(address, ...settled)).toBe("outcome_unknown");
    insurer.behaviour = usual;
  });

  it("the gateway tries refused credentials with the reconciliation search of a waiting submission, limited to one item", async () => {
    const usual = insurer.behaviour;
    insurer.behaviour = json(401, {});
    await submitInVain();
    time.forward(10 * SECOND);
    insurer.arrivals.length = 0;
    const { afm } = await submitInVain();
    expect(insurer.arrivals.map(({ method, url }) => [method, url])).toEqual([
      ["GET", `/api/north/claims?clientAfm=${afm}&page=1&size=1`],
    ]);
    insurer.behaviour = usual;
  });
});
