import { afterEach, describe, expect, it } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import {
  account,
  type Bearer,
  BRANDS,
  type Brokers,
  CLAIM,
  keyIn,
  ONE,
  OTHER,
  SEARCH,
  startBrokers,
} from "../harness/brokers.ts";
import { problemIn } from "../harness/problem.ts";
import { nothingFound, taking } from "../harness/site.ts";

let brokers: Brokers;
afterEach(() => brokers.stop());

const two = {
  claim: CLAIM,
  list: [account("one-north", "north"), account("other-north", "north", { issuer: OTHER })],
};
const ids = ["one-north", "other-north"];

/** Returns the API keys in all requests to the insurer, each key once. */
function keysShown(): readonly string[] {
  return [...new Set(brokers.insurer.arrivals.map(keyIn))];
}

it("the gateway uses the provider's credentials for every caller if no tenant claim is configured", async () => {
  brokers = await startBrokers(undefined, nothingFound);
  for (const tenant of ["north", undefined, ["north"]])
    expect((await brokers.ask({ tenant })).status).toBe(200);
  expect(keysShown()).toEqual(["default"]);
});

it("tenants with the same name at two issuers use different accounts", async () => {
  brokers = await startBrokers(two, nothingFound, { ids });
  expect((await brokers.ask({ issuer: ONE, tenant: "north" })).status).toBe(200);
  expect((await brokers.ask({ issuer: OTHER, tenant: "north" })).status).toBe(200);
  expect(brokers.insurer.arrivals.map(keyIn)).toEqual(["one-north", "other-north"]);
});

const withoutAccount: readonly (readonly [string, unknown])[] = [
  ["no claim", undefined],
  ["a list", ["north"]],
  ["an object", { name: "north" }],
  ["a number", 7],
  ["an empty text", ""],
  ["null", null],
  ["another case", "North"],
  ["a space", "north "],
  ["the id of an account", "one-north"],
  ["the default account", "default"],
];

it("the gateway answers 403 to a call if the token's tenant has no account, and neither sends nor stores the call", async () => {
  brokers = await startBrokers(two, nothingFound, { ids });
  for (const [what, tenant] of withoutAccount) {
    const bearer: Bearer = { tenant };
    const answers = [
      await brokers.ask(bearer, SEARCH),
      await brokers.ask(bearer, BRANDS),
      await brokers.submit(bearer, applicationBody(), "key-1"),
      await brokers.submit(bearer, applicationBody()),
      await brokers.ask(bearer, "/submissions/0b0f0000-0000-4000-8000-000000000000"),
    ];
    for (const answer of answers) {
      expect(answer.status, what).toBe(403);
      expect(await problemIn(answer)).toMatchObject({ code: "FORBIDDEN" });
    }
  }
  expect(brokers.insurer.arrivals).toHaveLength(0);
});

it("the gateway answers 403 to a call if the token's tenant has an account only at another provider", async () => {
  brokers = await startBrokers(two, nothingFound, { ids });
  expect((await brokers.ask({ tenant: "north" }, BRANDS)).status).toBe(403);
  expect((await brokers.ask({ tenant: "north" }, SEARCH)).status).toBe(200);
});

describe("submissions of several tenants", () => {
  const both = {
    claim: CLAIM,
    list: [account("north", "north"), account("south", "south")],
  };

  it("a caller can query a submission only with a token of the tenant for which the submission was sent", async () => {
    brokers = await startBrokers(both, taking(), { ids: ["north", "south"] });
    const submitted = await brokers.submit({ tenant: "north" }, applicationBody(), "key-1");
    expect(submitted.status).toBe(201);
    const path = submitted.headers.get("location") ?? "";
    expect((await brokers.ask({ tenant: "north" }, path)).status).toBe(200);
    expect((await brokers.ask({ tenant: "south" }, path)).status).toBe(404);
    expect((await brokers.ask({ tenant: "north", subject: "other" }, path)).status).toBe(404);
  });

  it("the gateway refuses a submission with the idempotency key or the content of another account's submission", async () => {
    brokers = await startBrokers(both, taking(), { ids: ["north", "south"] });
    const body = applicationBody();
    expect((await brokers.submit({ tenant: "north" }, body, "key-1")).status).toBe(201);
    for (const key of ["key-1", undefined]) {
      const refused = await brokers.submit({ tenant: "south" }, body, key);
      expect(refused.status).toBe(422);
      expect(await problemIn(refused)).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    }
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual(["north"]);
  });

  it("a submission that was sent without an account is never sent again with an account's credentials", async () => {
    brokers = await startBrokers(undefined, (response) => response.destroy());
    const body = applicationBody();
    const lost = await brokers.submit({ tenant: "north" }, body, "key-1");
    expect((await problemIn(lost)).code).toBe("OUTCOME_UNKNOWN");
    await brokers.restart({ accounts: both }, { KEY_north: "north", KEY_south: "south" });
    for (const [tenant, key] of [
      ["north", "key-1"],
      ["north", undefined],
      ["south", "key-1"],
      ["south", undefined],
    ] as const) {
      const again = await brokers.submit({ tenant }, body, key);
      expect(again.status).toBe(422);
      expect((await problemIn(again)).code).toBe("IDEMPOTENCY_KEY_REUSED");
    }
    const posted = brokers.insurer.arrivals.filter(({ method }) => method === "POST");
    expect(posted.map(keyIn)).toEqual(["default"]);
    // The reconciliation query has the same credentials as the submission had.
    brokers.insurer.behaviour = nothingFound;
    await brokers.time.tick();
    brokers.time.forward(60_000);
    await brokers.time.tick();
    expect(keysShown()).toEqual(["default"]);
    expect(brokers.insurer.arrivals.length).toBeGreaterThan(1);
  });

  it("the gateway refuses a query about a submission if the token lacks the scope for submissions", async () => {
    brokers = await startBrokers(both, taking(), {
      ids: ["north", "south"],
      issuer: { scopesRequired: true },
    });
    const bearer = { tenant: "north", scope: "provider-d:submission" };
    const submitted = await brokers.submit(bearer, applicationBody());
    const path = submitted.headers.get("location") ?? "";
    expect((await brokers.ask(bearer, path)).status).toBe(200);
    const refused = await brokers.ask({ ...bearer, scope: "provider-d:search" }, path);
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain('scope="provider-d:submission"');
  });
});
