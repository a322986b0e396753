import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applicationBody } from "../../harness/applications.ts";
import { json } from "../../harness/insurer.ts";
import { problemIn } from "../../harness/problem.ts";
import { holding } from "../../harness/site.ts";
import {
  bare401,
  type CredentialSite,
  oauth2,
  startCredentialSite,
  tokensShown,
  unauthenticated,
} from "./credential-site.ts";

let site: CredentialSite & { stop(): Promise<void> };
beforeEach(async () => {
  site = await startCredentialSite({
    credentials: (tokens) => oauth2(tokens),
    // The default wait for a slot, 250 ms, is too short for a slow machine.
    provider: { bulkhead: { queueMs: 60_000 } },
  });
});
afterEach(() => site.stop());

function revoke(): void {
  const revoked = site.tokens.given.at(-1);
  site.accepts = ({ headers }) => headers.authorization !== `Bearer ${revoked}`;
}

/** Sends searches, one after another, until the insurer has received the second token. */
async function searchUntilRenewed(): Promise<void> {
  while (!tokensShown(site).includes("token-2")) await site.search();
}

async function statusesOf(count: number): Promise<readonly number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => site.search()));
  return [...new Set(answers.map(({ status }) => status))];
}

describe("the life of a token", () => {
  it("the gateway renews a token before it expires, and calls use the old token until the new token has arrived", async () => {
    await site.search();
    site.time.forward(2_900_000);
    const asked = site.tokens.nextArrival();
    let answer = (): void => undefined;
    const { grant } = site.tokens;
    site.tokens.grant = (response, arrival) => {
      answer = () => grant(response, arrival);
    };
    expect(await statusesOf(10)).toEqual([200]);
    await asked;
    expect(await statusesOf(10)).toEqual([200]);
    expect(tokensShown(site)).toEqual(["token-1"]);
    answer();
    await searchUntilRenewed();
    expect(site.tokens.arrivals).toHaveLength(2);
  });

  it("calls use a token until the token expires if the renewal before the expiry has failed", async () => {
    await site.search();
    site.tokens.grant = json(503, {});
    site.time.forward(3_000_000);
    const asked = site.tokens.nextArrival();
    expect(await statusesOf(5)).toEqual([200]);
    await asked;
    expect(await statusesOf(5)).toEqual([200]);
    expect(site.tokens.arrivals).toHaveLength(2);
  });

  it("the gateway does not use a token in the last seconds before the token expires", async () => {
    await site.search();
    site.time.forward(3_596_000);
    site.insurer.arrivals.length = 0;
    expect(await statusesOf(20)).toEqual([200]);
    expect(tokensShown(site)).toEqual(["token-2"]);
    expect(site.tokens.arrivals).toHaveLength(2);
  });

  it("the gateway renews a token without a stated lifetime after five minutes", async () => {
    site.tokens.expiresIn = undefined;
    await site.search();
    site.time.forward(299_000);
    await site.search();
    expect(site.tokens.arrivals).toHaveLength(1);
    site.time.forward(2_000);
    const asked = site.tokens.nextArrival();
    await site.search();
    await asked;
  });

  it.each([0, 1])(
    "the gateway does not fetch a token for each call if the token server states a lifetime of %i seconds",
    async (seconds) => {
      site.tokens.expiresIn = seconds;
      expect(await statusesOf(50)).toEqual([200]);
      expect(await statusesOf(50)).toEqual([200]);
      expect(site.tokens.arrivals.length).toBeLessThanOrEqual(2);
    },
  );
});

it("a call whose token expires before a slot is free leaves the slot to other calls until a new token arrives", async () => {
  await site.stop();
  site = await startCredentialSite({
    credentials: (tokens) => oauth2(tokens),
    provider: { bulkhead: { running: 1, queued: 1, queueMs: 60_000 } },
  });
  await site.search();
  const first = holding(site.insurer.behaviour);
  site.insurer.behaviour = first.behaviour;
  const arrived = site.insurer.nextArrival();
  const statuses = statusesOf(2);
  await arrived;
  await expect.poll(() => site.gateway.inUse()).toMatchObject([{ queued: 1 }]);
  const token = holding(site.tokens.grant);
  site.tokens.grant = token.behaviour;
  site.accepts = () => true;
  site.time.forward(3_600_000);
  first.release();
  const awaiting = 'insurance_gateway_calls_awaiting_token{provider="provider-d"}';
  await expect.poll(() => site.metrics()).toContain(`${awaiting} 1`);
  expect(site.gateway.inUse()).toMatchObject([{ running: 0 }]);
  token.release();
  expect(await statuses).toEqual([200]);
  expect(tokensShown(site)).toEqual(["token-1", "token-2"]);
});

describe("a token that the insurer refuses before its end", () => {
  it("the gateway renews a refused token once for all failed calls, and repeats the calls with the new token", async () => {
    await site.search();
    revoke();
    expect(await statusesOf(30)).toEqual([200]);
    expect(site.tokens.arrivals).toHaveLength(2);
    expect(tokensShown(site)).toEqual(["token-1", "token-2"]);
  });

  it("the gateway sends a submission again with a new token if the insurer's 401 proves that the insurer did nothing", async () => {
    await site.search();
    revoke();
    expect((await site.submit(applicationBody())).status).toBe(201);
    const submissions = site.insurer.arrivals.filter(({ method }) => method === "POST");
    expect(submissions.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-2",
    ]);
    expect(submissions[0]?.headers["idempotency-key"]).toBe(
      submissions[1]?.headers["idempotency-key"],
    );
  });

  it("a submission is `unknown` after a 401 that proves nothing, and later submissions are sent with a new token", async () => {
    await site.search();
    revoke();
    site.refusal = bare401;
    const body = applicationBody();
    expect(await problemIn(await site.submit(body, randomUUID()))).toMatchObject({
      code: "OUTCOME_UNKNOWN",
    });
    const posts = (): number =>
      site.insurer.arrivals.filter(({ method }) => method === "POST").length;
    expect(posts()).toBe(1);
    const next = await Promise.all([
      site.submit(applicationBody()),
      site.submit(applicationBody()),
    ]);
    expect(next.map(({ status }) => status)).toEqual([201, 201]);
    expect(posts()).toBe(3);
    // A read has tried the new token before the submissions.
    expect(site.insurer.arrivals.map(({ method }) => method).slice(1, 3)).toEqual(["POST", "GET"]);
  });

  it("the gateway fetches at most one token in a second while the insurer refuses every token", async () => {
    site.accepts = () => false;
    for (let round = 0; round < 5; round += 1) expect(await statusesOf(10)).toEqual([502]);
    expect(site.tokens.arrivals).toHaveLength(2);
    site.time.forward(1_000);
    expect(await statusesOf(10)).toEqual([502]);
    expect(site.tokens.arrivals).toHaveLength(3);
    expect(await problemIn(await site.search())).toMatchObject({
      code: "PROVIDER_AUTH_FAILED",
      outcome: "rejected",
    });
  });

  it("the gateway does not renew a token if the insurer's late answer to an earlier call refuses the previous token", async () => {
    await site.search();
    site.time.forward(3_000_000);
    const { behaviour } = site.insurer;
    let refuse = (): void => undefined;
    site.insurer.behaviour = (response, arrival) => {
      refuse = () => unauthenticated(response, arrival);
      site.insurer.behaviour = behaviour;
    };
    const arrived = site.insurer.nextArrival();
    const late = site.search();
    await arrived;
    await searchUntilRenewed();
    refuse();
    expect((await late).status).toBe(200);
    expect(site.tokens.arrivals).toHaveLength(2);
  });

  it("the gateway does not renew a token after an insurer's answer with the status 403 or 407", async () => {
    await site.search();
    site.accepts = () => false;
    for (const status of [403, 407]) {
      site.refusal = json(status, {});
      expect((await site.search()).status).toBe(502);
    }
    expect(site.tokens.arrivals).toHaveLength(1);
  });

  it("the gateway does not repeat a call after a 401 if the token server refuses to issue another token", async () => {
    await site.search();
    revoke();
    site.tokens.grant = json(401, { error: "invalid_client" });
    for (const answer of [await site.search(), await site.submit(applicationBody())])
      expect(await problemIn(answer)).toMatchObject({
        code: "PROVIDER_AUTH_FAILED",
        outcome: "not_sent",
        retry: "safe",
      });
    expect(site.insurer.arrivals).toHaveLength(2);
  });
});
