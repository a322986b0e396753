import { afterEach, describe, expect, it } from "vitest";
import { openStore } from "../../../src/store/open-store.ts";
import type { UsageRow } from "../../../src/store/stored-usage.ts";
import { applicationBody } from "../../harness/applications.ts";
import { account, type Brokers, CLAIM, startBrokers } from "../../harness/brokers.ts";
import { taking } from "../../harness/site.ts";

const [first, second] = [{ tenant: "First" }, { tenant: "Second" }];

let brokers: Brokers;
afterEach(() => brokers.stop());

async function start(quotas: object, ofSecond: object): Promise<void> {
  const list = [account("first", "First"), account("second", "Second", { quotas: ofSecond })];
  brokers = await startBrokers({ claim: CLAIM, list, quotas }, taking(), {
    ids: ["first", "second"],
  });
}

async function usage(): Promise<readonly UsageRow[]> {
  brokers.time.forward(1_000);
  await brokers.time.tick();
  const day = new Intl.DateTimeFormat("sv", { timeZone: "Europe/Athens" });
  const data = `${brokers.folder.path}/data`;
  const store = await openStore({ data, databaseUrl: undefined }, "beside");
  try {
    return await store.usageOn(day.format(brokers.time.now()), null);
  } finally {
    await store.close();
  }
}

describe("quotas and usage of two accounts", () => {
  it("the gateway counts each account's calls and submissions separately in the store", async () => {
    await start({}, {});
    await brokers.ask(first);
    await brokers.ask({ tenant: "Nobody" });
    await brokers.submit(second, applicationBody());
    expect(await usage()).toMatchObject([
      { account: "first", endpoint: "searchApplications", calls: 1, succeeded: 0 },
      { account: "second", endpoint: "createApplication", calls: 1, succeeded: 1 },
    ]);
  });

  it("an account's quotas take precedence over the quotas for all accounts", async () => {
    await start(
      { requestsPerDay: 3, submissionsPerDay: 1 },
      { requestsPerDay: 4, submissionsPerDay: 2 },
    );
    const submit = async (bearer: object): Promise<number> =>
      (await brokers.submit(bearer, applicationBody())).status;
    expect([await submit(first), await submit(first)]).toEqual([201, 429]);
    expect([await submit(second), await submit(second)]).toEqual([201, 201]);
    const third = await brokers.submit(second, applicationBody());
    expect(third.status).toBe(429);
    expect(third.headers.get("ratelimit-policy")).toContain('"submissions-per-day";q=2;');
    expect(await submit(second)).toBe(429);
    const fifth = await brokers.submit(second, applicationBody());
    expect(fifth.headers.get("ratelimit-policy")).toContain('"requests-per-day";q=4;');
  });
});
