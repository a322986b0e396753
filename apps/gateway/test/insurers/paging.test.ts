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
  // The package above exports this name.
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
  // Every endpoint of the package but one is a search.
  return endpoints[name] as Endpoint<"search">;
}

function get(path: string): Promise<Response> {
  return gateway.ask(`/provider-p${path}`);
}

/** Where each request asked for its page: the query without the customer, or what the body says. */
function asked(): readonly string[] {
  return insurer.arrivals.map(({ body, url }: Arrival) => {
    const { searchParams } = new URL(url, "http://insurer");
    searchParams.delete("clientAfm");
    return body === "" ? searchParams.toString() : JSON.stringify(JSON.parse(body).paging);
  });
}

/** A query whose parameters are in the order of their names. */
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

describe("a search with paging of its own", () => {
  it.each(styles)(
    "%s gives every item once, page by page, with the usual size",
    async (name, input, pages) => {
      const found: unknown[] = [];
      for await (const item of client.call(searchOf(name), input)) found.push(item);
      expect(found).toEqual(insurer.claims);
      expect(asked().map(sorted)).toEqual(pages.map(sorted));
    },
  );

  it("gives the first page as the insurer answers it when it is awaited", async () => {
    expect(await client.call(searchOf("byPage"), { query })).toEqual({
      content: insurer.claims.slice(0, 2),
      totalElements: 5,
    });
    expect(insurer.arrivals).toHaveLength(1);
  });

  it("begins where its caller says, with the size that its caller says", async () => {
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
  ])("refuses %s", async (path) => {
    expect((await problemIn(await get(path))).code).toBe("VALIDATION_FAILED");
    expect(insurer.arrivals).toHaveLength(0);
  });

  it("passes the total on that the insurer writes in a header", async () => {
    const response = await get("/offset?clientAfm=123456789");
    expect(response.headers.get("x-total-count")).toBe("5");
  });

  it("gives a cursor for the insurer's Link, and never its address", async () => {
    const response = await get("/link?clientAfm=123456789");
    expect(response.headers.get("next-cursor")).toBe("2");
    expect(response.headers.get("link")).toBeNull();
    expect(JSON.stringify([...response.headers])).not.toMatch(/insurer\.example|v7/);
    const last = await get("/link?clientAfm=123456789&after=4");
    expect(last.headers.get("next-cursor")).toBeNull();
  });

  it.each([
    ["without the cursor", "</link?clientAfm=123456789>"],
    ["for another search", "</link?clientAfm=987654321&after=2>"],
    ["with something that was not asked for", "</link?clientAfm=123456789&after=2&session=1>"],
    ["with two cursors", "</link?after=2&after=3>"],
  ])("calls a Link %s an unusable answer, not the end of the list", async (_, link) => {
    const usual = insurer.behaviour;
    insurer.behaviour = json(200, insurer.claims.slice(0, 2), { link: `${link}; rel="next"` });
    expect((await problemIn(await get("/link?clientAfm=123456789"))).code).toBe(
      "PROVIDER_BAD_RESPONSE",
    );
    insurer.behaviour = usual;
  });

  it("calls a cursor that is an address an unusable answer", async () => {
    const usual = insurer.behaviour;
    const next = "https://insurer.example/v7/claims?cursor=c2";
    insurer.behaviour = json(200, { data: insurer.claims.slice(0, 2), meta: { next } });
    expect((await problemIn(await get("/cursor?clientAfm=123456789"))).code).toBe(
      "PROVIDER_BAD_RESPONSE",
    );
    insurer.behaviour = usual;
  });

  it.each([
    ["ignores the number of the page", "byPage", { content: [1, 2], totalElements: 9 }],
    ["names its first page again and again", "byCursor", { data: [3, 4], meta: { next: "c2" } }],
    ["gives another page than it was asked for", "byStart", { claims: [1, 2], from: 0 }],
  ])(
    "a search with paging of its own of an insurer that %s is an error, not an endless loop",
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

describe("a search from the command line", () => {
  const call = async (...flags: readonly string[]) => {
    const run = runsInProcess({ folder: gateway.folder.path, address: gateway.address });
    const environment = { GATEWAY_TOKEN: gateway.token };
    const parameters = ["call", "provider-p", ...flags, "--client-afm", clientAfm];
    const { stderr, stdout } = await run(parameters, { environment });
    return { stderr, answer: JSON.parse(stdout) };
  };

  it("prints the cursor of the next page beside the answer", async () => {
    expect(await call("byLink")).toEqual({
      answer: insurer.claims.slice(0, 2),
      stderr: "next page: after 2; every page: --all\n",
    });
    expect((await call("byLink", "--after", "4")).stderr).toBe("");
  });

  it("reads every page with --all", async () => {
    const { answer } = await call("byOffset", "--all");
    expect(answer).toEqual({ items: insurer.claims, total: 5 });
  });
});

describe("a submission of unknown outcome whose search is paged by numbers below a tenant", () => {
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

  it("is found below its own tenant, on the second page, which the first is read again to prove", async () => {
    const { address, afm } = await submitInVain();
    insurer.claims = [...claims(100), ownClaim(afm)];
    insurer.arrivals.length = 0;
    expect(await stateAfter(address, 2 * SECOND)).toBe("succeeded");
    expect(insurer.arrivals.map(({ url }) => url)).toEqual(
      [1, 2, 3, 1, 2].map((page) => `/api/north/claims?clientAfm=${afm}&page=${page}&size=100`),
    );
  });

  it("is absent when the whole list was read and did not change", async () => {
    const { address } = await submitInVain();
    insurer.claims = [];
    // Two queries at least 5 minutes apart prove it.
    expect(await stateAfter(address, ...settled, 600 * SECOND)).toBe("failed");
  });

  it("is not called absent when an earlier item disappears between two pages", async () => {
    const { address, afm } = await submitInVain();
    const own = ownClaim(afm);
    // All are created at one instant, so that they show no order, and the whole list is read.
    const createdAt = new Date(time.now() - 3_600 * SECOND).toISOString();
    insurer.claims = [...claims(100).map((claim) => ({ ...claim, createdAt })), own];
    insurer.beforePage = ({ url }) => {
      if (url.includes("page=2") && url.includes(afm)) insurer.claims = insurer.claims.slice(-100);
    };
    expect(await stateAfter(address, 150 * SECOND)).toBe("outcome_unknown");
    insurer.beforePage = () => {};
    expect(await stateAfter(address, ...settled)).toBe("succeeded");
  });

  it("is not called absent by an insurer that ignores the number of the page, which is noticed at once", async () => {
    const { address, afm } = await submitInVain();
    const usual = insurer.behaviour;
    insurer.behaviour = json(200, { claims: claims(100) });
    expect(await stateAfter(address, 2 * SECOND)).toBe("outcome_unknown");
    expect(insurer.arrivals.filter(({ url }) => url.includes(afm))).toHaveLength(2);
    expect(await stateAfter(address, ...settled)).toBe("outcome_unknown");
    insurer.behaviour = usual;
  });

  it("is followed by the same search for one item, where the insurer refuses the gateway's credentials", async () => {
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
