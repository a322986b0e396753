import { randomBytes, randomUUID } from "node:crypto";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Environment } from "../../../src/configuration/load.ts";
import { applicationBody } from "../../harness/applications.ts";
import { problem } from "../../harness/insurer.ts";
import { problemIn } from "../../harness/problem.ts";
import { type Site, startSite, taking } from "../../harness/site.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.stop();
});

/** The encryption key of all processes. */
const KEY = randomBytes(32).toString("base64");

/** Returns the environment of several processes with one store. */
async function sharedStore(): Promise<Environment> {
  return { DATABASE_URL: await server.createDatabase() };
}

/** Starts a gateway whose accounts have the given quotas. */
async function startWith(quotas: object, environment: Environment = {}): Promise<Site> {
  const site = await startSite(
    { callerLimit: { requests: 1_000_000 } },
    { accounts: { quotas }, submissions: { keys: [{ id: "one", secret: { env: "KEY" } }] } },
    { KEY, ...environment },
  );
  site.insurer.behaviour = taking();
  sites.push(site);
  return site;
}

describe("the daily quota of submissions", () => {
  it("the gateway refuses a submission above the quota, and reports the number of submissions and the time when the quota resets", async () => {
    const site = await startWith({ submissionsPerDay: 2 });
    expect((await site.submit()).status).toBe(201);
    expect((await site.submit()).status).toBe(201);
    const refused = await site.submit();
    expect(refused.status).toBe(429);
    const { headers } = refused;
    expect(await problemIn(refused)).toMatchObject({
      code: "RATE_LIMITED",
      outcome: "not_sent",
      retry: "safe",
      detail: expect.stringMatching(
        /quota of submissions for \d{4}-\d\d-\d\d is used up: 2 of 2\. It resets at /,
      ),
    });
    expect(headers.get("ratelimit-policy")).toBe('"submissions-per-day";q=2;w=86400');
    const [, seconds = ""] =
      /^"submissions-per-day";r=0;t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
    expect(headers.get("retry-after")).toBe(seconds);
    expect(site.insurer.arrivals).toHaveLength(2);
    await site.pass(Number(seconds) * 1_000 - 1_000);
    expect((await site.submit()).status, "the quota is used up until the end of the day").toBe(429);
    await site.pass(1_000);
    expect((await site.submit()).status).toBe(201);
  });

  it("the gateway still answers repeated submissions and queries when the quota of submissions is used up", async () => {
    const site = await startWith({ submissionsPerDay: 1 });
    const [body, key] = [applicationBody(), randomUUID()];
    const first = await site.submit(body, key);
    const location = first.headers.get("location") ?? "";
    expect((await site.submit()).status).toBe(429);
    const replayed = await site.submit(body, key);
    expect([replayed.status, replayed.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect((await site.submit(body)).status, "the same content without a key").toBe(201);
    expect((await site.submit(applicationBody(), key)).status, "another content").toBe(422);
    expect((await site.ask(location)).status).toBe(200);
    expect(await site.work()).toBe(200);
  });

  it("a submission that the insurer provably did not execute does not count towards the quota", async () => {
    const site = await startWith({ submissionsPerDay: 1 });
    site.insurer.behaviour = problem(503, "PROVIDER_UNAVAILABLE");
    const [body, key] = [applicationBody(), randomUUID()];
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await site.submit(body, key)).status).toBe(503);
    site.insurer.behaviour = taking();
    expect((await site.submit(body, key)).status).toBe(201);
    expect((await site.submit()).status).toBe(429);
  });

  it("two processes together accept exactly the quota of simultaneous submissions", async () => {
    const environment = await sharedStore();
    const one = await startWith({ submissionsPerDay: 25 }, environment);
    const other = await startWith({ submissionsPerDay: 25 }, environment);
    // Both insurers share one behaviour, so that all applications have different identifiers.
    other.insurer.behaviour = one.insurer.behaviour;
    const statuses = await Promise.all(
      Array.from(
        { length: 40 },
        async (_, index) => (await (index % 2 === 0 ? one : other).submit()).status,
      ),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(25);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
    expect(one.insurer.arrivals.length + other.insurer.arrivals.length).toBe(25);
  });
});

describe("the daily quota of requests", () => {
  it("the gateway reports in each answer how many requests the quota still allows, and refuses a request above the quota", async () => {
    const site = await startWith({ requestsPerDay: 3 });
    const first = await site.ask("/provider-a/auto/brands");
    expect(first.headers.get("ratelimit-policy")).toBe(
      '"caller";q=1000000;w=60, "requests-per-day";q=3;w=86400',
    );
    expect(first.headers.get("ratelimit")).toMatch(
      /^"caller";r=999999;t=60, "requests-per-day";r=2;t=\d+$/,
    );
    for (let call = 0; call < 2; call += 1) await site.ask("/provider-a/auto/brands");
    const refused = await site.ask("/provider-a/auto/brands");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("ratelimit")).toMatch(/^"requests-per-day";r=0;t=\d+$/);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await problemIn(refused)).toMatchObject({
      code: "RATE_LIMITED",
      detail: expect.stringContaining("quota of requests"),
    });
    expect((await site.ask()).status, "another provider's account has a separate quota").not.toBe(
      429,
    );
    await site.pass(Number(refused.headers.get("retry-after")) * 1_000);
    expect((await site.ask("/provider-a/auto/brands")).status).not.toBe(429);
  });

  it("a caller can still query a submission's state when the quota of requests is used up", async () => {
    const site = await startWith({ requestsPerDay: 1 });
    const [body, key] = [applicationBody(), randomUUID()];
    expect((await site.submit(body, key)).status).toBe(201);
    expect((await site.ask()).status).toBe(429);
    expect((await site.submit()).status).toBe(429);
    const replayed = await site.submit(body, key);
    expect([replayed.status, replayed.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  });

  it("two processes together exceed the quota of requests by at most 1 % for each process", async () => {
    const environment = await sharedStore();
    const [quota, overshoot] = [200, 2 * 2];
    const one = await startWith({ requestsPerDay: quota }, environment);
    const other = await startWith({ requestsPerDay: quota }, environment);
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, caller) => {
        const seen: number[] = [];
        for (let call = 0; call < 30; call += 1)
          seen.push((await (caller % 2 === 0 ? one : other).ask("/provider-a/auto/brands")).status);
        return seen;
      }),
    );
    const taken = statuses.flat().filter((status) => status !== 429).length;
    expect(taken).toBeGreaterThanOrEqual(quota);
    expect(taken).toBeLessThanOrEqual(quota + overshoot);
  });

  it("the gateway accepts requests beyond the quota of requests while the store is unavailable", async () => {
    const site = await startWith(
      { requestsPerDay: 1 },
      { DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" },
    );
    for (let call = 0; call < 3; call += 1) expect((await site.ask()).status).not.toBe(429);
  });
});
