import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Environment } from "../../../src/configuration/load.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { UsageRow } from "../../../src/store/stored-usage.ts";
import { applicationBody } from "../../harness/applications.ts";
import { json, problem } from "../../harness/insurer.ts";
import { type Site, startSite, taking } from "../../harness/site.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let site: Site;
afterEach(() => site.stop());

describe.each([
  ["a file of SQLite", async (): Promise<Environment> => ({})],
  [
    "a database of PostgreSQL",
    async (): Promise<Environment> => ({ DATABASE_URL: await server.createDatabase() }),
  ],
])("usage in %s", (_, environmentOf) => {
  let environment: Environment;
  const start = async (configuration: object = {}): Promise<void> => {
    environment = await environmentOf();
    site = await startSite({}, configuration, environment);
  };
  /** Returns one day's usage in the store. */
  const usageOn = async (day: string): Promise<readonly UsageRow[]> => {
    const data = `${site.gateway.folder.path}/data`;
    const store = await openStore({ data, databaseUrl: environment.DATABASE_URL }, "beside");
    try {
      return await store.usageOn(day, null);
    } finally {
      await store.close();
    }
  };
  const today = (): string =>
    new Intl.DateTimeFormat("sv", { timeZone: "Europe/Athens" }).format(site.time.now());
  const rowOf = async (endpoint: string, day = today()): Promise<Partial<UsageRow>> =>
    (await usageOn(day)).find((row) => row.endpoint === endpoint) ?? {};

  it("the usage in the store counts calls and failed calls by endpoint, and ignores refused calls", async () => {
    await start();
    for (let call = 0; call < 3; call += 1) await site.work();
    await site.fail();
    await site.ask("/provider-a/auto/brands");
    await site.ask("/provider-a/nothing");
    await fetch(`${site.gateway.address}/provider-a/auto/brands`);
    await site.pass(1_000);
    expect(await usageOn(today())).toMatchObject([
      {
        account: "default",
        segment: "provider-a",
        endpoint: "listBrands",
        kind: "lookup",
        calls: 1,
      },
      {
        account: "default",
        segment: "provider-d",
        endpoint: "searchApplications",
        kind: "search",
        calls: 4,
        failedCalls: 1,
      },
    ]);
  });

  it("the usage in the store counts each submission once, in the submission's present state", async () => {
    await start();
    site.insurer.behaviour = taking();
    const body = applicationBody();
    for (const key of ["one", "one", "one"]) await site.submit(body, key);
    expect(await rowOf("createApplication")).toMatchObject({ succeeded: 1, failed: 0, unknown: 0 });
    site.insurer.behaviour = problem(422, "PROVIDER_REJECTED");
    await site.submit();
    expect(await rowOf("createApplication")).toMatchObject({ succeeded: 1, failed: 1 });
    site.insurer.behaviour = (response) => response.destroy();
    await site.submit();
    expect(await rowOf("createApplication")).toMatchObject({ succeeded: 1, failed: 1, unknown: 1 });
    site.insurer.behaviour = problem(503, "PROVIDER_UNAVAILABLE");
    await site.submit();
    expect(await rowOf("createApplication")).toMatchObject({
      succeeded: 1,
      failed: 1,
      unknown: 1,
      inFlight: 0,
      notSent: 1,
    });
    await site.pass(1_000);
    expect(await rowOf("createApplication")).toMatchObject({ calls: 6, failedCalls: 3 });
  });

  it("the usage in the store does not change when the gateway deletes old submissions", async () => {
    await start({ submissions: { answerKeptHours: 1, keyRetentionDays: 1, sameContentHours: 0 } });
    site.insurer.behaviour = taking();
    await site.submit();
    await site.submit();
    site.insurer.behaviour = problem(422, "PROVIDER_REJECTED");
    await site.submit();
    const day = today();
    await site.pass(1_000);
    const before = await rowOf("createApplication", day);
    expect(before).toMatchObject({ succeeded: 2, failed: 1, calls: 3, failedCalls: 1 });
    await site.pass(25 * 3_600_000);
    await site.pass(60_000);
    expect(await rowOf("createApplication", day)).toEqual(before);
    const listed = await site.ask("/submissions/00000000-0000-0000-0000-000000000000");
    expect(listed.status).toBe(404);
  });

  it("the usage of a call belongs to the day of the call in the configured time zone", async () => {
    await start({ accounts: { timeZone: "Pacific/Kiritimati" } });
    site.insurer.behaviour = taking();
    await site.submit();
    await site.pass(1_000);
    const there = new Intl.DateTimeFormat("sv", { timeZone: "Pacific/Kiritimati" });
    expect(await usageOn(there.format(site.time.now()))).toMatchObject([
      { endpoint: "createApplication", calls: 1, succeeded: 1 },
    ]);
  });

  it("the gateway deletes usage after two years and a month by the store's clock, even if the process's clock differs", async () => {
    await start();
    await site.work();
    const day = today();
    await site.pass(1_000);
    await site.pass(760 * 86_400_000);
    expect(await usageOn(day)).toHaveLength(1);
    await site.pass(2 * 86_400_000);
    // The test controls only the process's clock. PostgreSQL has a separate clock, for which no time has passed.
    expect(await usageOn(day)).toHaveLength(environment.DATABASE_URL === undefined ? 0 : 1);
  });

  it("the usage in the store includes calls from just before the gateway stops", async () => {
    await start();
    for (let call = 0; call < 250; call += 1) await site.work();
    await site.gateway.end();
    expect(await rowOf("searchApplications")).toMatchObject({ calls: 250 });
    site.insurer.behaviour = json(200, {});
  });
});
