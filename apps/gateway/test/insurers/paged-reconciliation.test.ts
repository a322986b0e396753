import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { json } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { type Claim, type PagedSite, startPagedSite } from "./paged-insurer.ts";

const SECOND = 1_000;

let site: PagedSite;
beforeAll(async () => {
  site = await startPagedSite();
});
afterAll(() => site.stop());
beforeEach(() => site.reset());

describe("a submission of unknown outcome whose search has page numbers", () => {
  let number = 0;
  async function submitInVain(): Promise<{ readonly afm: string; readonly address: string }> {
    number += 1;
    const afm = String(200_000_000 + number);
    const response = await fetch(`${site.gateway.address}/provider-p/north/claims`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${site.gateway.token}`,
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
      site.time.forward(wait);
      await site.time.tick();
    }
    const response = await site.gateway.ask(address);
    return Reflect.get(Object(await response.json()), "state");
  }
  function ownClaim(afm: string): Claim {
    return {
      claimId: `OWN-${afm}`,
      clientAfm: afm,
      createdAt: new Date(site.time.now()).toISOString(),
    };
  }
  const settled = [2 * SECOND, 30 * SECOND, 120 * SECOND];

  it("the gateway finds a submission on the second page of its tenant's list, and reads both pages twice as proof", async () => {
    const { address, afm } = await submitInVain();
    site.insurer.claims = [...site.claimsOf(100), ownClaim(afm)];
    site.insurer.arrivals.length = 0;
    expect(await stateAfter(address, 2 * SECOND)).toBe("succeeded");
    expect(site.insurer.arrivals.map(({ url }) => url)).toEqual(
      [1, 2, 3, 1, 2].map((page) => `/api/north/claims?clientAfm=${afm}&page=${page}&size=100`),
    );
  });

  it("a submission counts as failed if the gateway reads the insurer's whole unchanged list twice and does not find the submission", async () => {
    const { address } = await submitInVain();
    site.insurer.claims = [];
    // Two queries, at least 5 minutes apart, prove that the insurer does not have the submission.
    expect(await stateAfter(address, ...settled, 600 * SECOND)).toBe("failed");
  });

  it("a submission does not count as failed if another item disappears from the list while the gateway reads the pages", async () => {
    const { address, afm } = await submitInVain();
    const own = ownClaim(afm);
    // Items with the same creation time are in no certain order, so that the gateway reads the whole list.
    const createdAt = new Date(site.time.now() - 3_600 * SECOND).toISOString();
    site.insurer.claims = [...site.claimsOf(100).map((claim) => ({ ...claim, createdAt })), own];
    site.insurer.beforePage = ({ url }) => {
      if (url.includes("page=2") && url.includes(afm))
        site.insurer.claims = site.insurer.claims.slice(-100);
    };
    expect(await stateAfter(address, 150 * SECOND)).toBe("outcome_unknown");
    site.insurer.beforePage = () => {};
    expect(await stateAfter(address, ...settled)).toBe("succeeded");
  });

  it("a submission does not count as failed if the insurer's search returns the first page for every page number", async () => {
    const { address, afm } = await submitInVain();
    site.insurer.behaviour = json(200, { claims: site.claimsOf(100) });
    expect(await stateAfter(address, 2 * SECOND)).toBe("outcome_unknown");
    expect(site.insurer.arrivals.filter(({ url }) => url.includes(afm))).toHaveLength(2);
    expect(await stateAfter(address, ...settled)).toBe("outcome_unknown");
  });

  it("the gateway tries refused credentials with the reconciliation search of a waiting submission, limited to one item", async () => {
    site.insurer.behaviour = json(401, {});
    await submitInVain();
    site.time.forward(10 * SECOND);
    site.insurer.arrivals.length = 0;
    const { afm } = await submitInVain();
    expect(site.insurer.arrivals.map(({ method, url }) => [method, url])).toEqual([
      ["GET", `/api/north/claims?clientAfm=${afm}&page=1&size=1`],
    ]);
  });
});
