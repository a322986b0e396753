import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { Submissions } from "../../src/submissions/submissions.ts";
import { legible, momentAt, sampleSettlement } from "../harness/store-samples.ts";
import {
  caller,
  createWorld,
  fleet,
  HOUR,
  motor,
  refusalOf,
  refused,
  type SubmissionsWorld,
} from "./submissions-world.ts";

let world: SubmissionsWorld;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.end());

describe("the state of a submission", () => {
  it("the gateway shows a submission's state only to the submission's caller, and the caller's request makes the next query due", async () => {
    const submissions = await world.open();
    const id = await world.claimUnknown("a");
    const others = [
      { ...caller, issuer: "https://two.example" },
      { ...caller, subject: "sub other" },
    ];
    for (const other of others)
      expect((await refusalOf(submissions.status(other, id))).code).toBe("SUBMISSION_NOT_FOUND");
    for (const none of [randomUUID(), "x", id.toUpperCase()])
      expect((await refusalOf(submissions.status(caller, none))).code).toBe("SUBMISSION_NOT_FOUND");
    expect(await world.nextQueryIn(id), "other callers change nothing").toBe(HOUR);
    expect(await submissions.status(caller, id)).toMatchObject({ submissionId: id });
    expect(await world.nextQueryIn(id)).toBe(0);
    const running = await world.claim("b");
    const before = world.transactions;
    await submissions.status(caller, running);
    expect(world.transactions - before, "one transaction reads the state").toBe(1);
    expect(await world.nextQueryIn(running)).toBeNull();
    world.fault = new StoreUnavailableError("ECONNREFUSED", false);
    expect((await refusalOf(submissions.status(caller, id))).code).toBe("STORE_UNAVAILABLE");
    world.fault = new TypeError("a fault of our own");
    expect(await refusalOf(submissions.status(caller, id))).toMatchObject({
      facts: { outcome: "unknown" },
      cause: world.fault,
    });
    await submissions.stop();
  });
});

it("the gateway does not show a submission's state to the same caller with a token for another tenant, or with a token without the right scope", async () => {
  const submissions = await world.open();
  const id = await world.claim("a");
  const withScopes = (scopes: readonly string[]): Promise<unknown> =>
    submissions.status({ ...caller, scopes }, id);
  expect(await withScopes(["motor:submission"])).toMatchObject({ submissionId: id });
  expect((await refusalOf(withScopes(["fleet:*"]))).code).toBe("FORBIDDEN");
  world.account = "north";
  expect((await refusalOf(submissions.status(caller, id))).code).toBe("SUBMISSION_NOT_FOUND");
  await submissions.stop();
});

it("the gateway queries a recovered insurer at once, but only at the segment that has recovered", async () => {
  const submissions = await world.open();
  const id = await world.claimUnknown("a");
  await world.time.tick();
  expect((await world.store.find(id))?.state).toBe("outcome_unknown");
  submissions.insurerRecovered("motor", null);
  world.log.read();
  await world.time.tick();
  // The gateway serves the search only at another segment, so the submission needs review.
  const msg = "a submission needs manual review";
  expect(world.log.read()).toEqual([
    { level: 50, submissionId: id, caller: expect.stringMatching(/^[0-9a-f]{16}$/), msg },
  ]);
  await submissions.stop();
});

describe("a refused request with a key", () => {
  it("the refusal of a request with a used idempotency key has the state of the key's submission, and makes the submission's query due", async () => {
    const submissions = await world.open();
    const id = await world.claimUnknown("a");
    const answer = await submissions.refused(refused, {
      route: motor,
      caller,
      account: "default",
      key: "a",
    });
    expect(answer).toMatchObject({
      code: "OUTCOME_UNKNOWN",
      details: { reconciliation: { href: `/submissions/${id}` } },
    });
    expect(await world.nextQueryIn(id)).toBe(0);
    const running = await world.claim("b");
    expect(
      await submissions.refused(refused, { route: motor, caller, account: "default", key: "b" }),
    ).toMatchObject({
      code: "SUBMISSION_IN_PROGRESS",
    });
    await world.store.settle(sampleSettlement(running, { keyId: "unknown" }));
    expect(
      await submissions.refused(refused, { route: motor, caller, account: "default", key: "b" }),
    ).toMatchObject({
      code: "PROVIDER_BAD_RESPONSE",
    });
    await submissions.stop();
  });

  it("a refused request with an unused idempotency key gets the usual refusal, and a key of another segment counts as reused", async () => {
    const submissions = await world.open();
    const id = await world.claimUnknown("a");
    const before = legible(await world.store.find(id));
    const ask = (more: object): ReturnType<Submissions["refused"]> =>
      submissions.refused(refused, {
        route: motor,
        caller,
        account: "default",
        key: "a",
        ...more,
      });
    for (const more of [{ key: "b" }, { caller: { ...caller, subject: "sub other" } }])
      expect(await ask(more)).toBe(refused);
    expect(await ask({ route: fleet })).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    world.fault = new StoreUnavailableError("ECONNREFUSED", false);
    expect(await ask({})).toMatchObject({
      code: "RATE_LIMITED",
      facts: { outcome: "unknown", retry: "same_key" },
    });
    world.fault = new TypeError("a fault of our own");
    await expect(ask({})).rejects.toBe(world.fault);
    world.fault = null;
    expect(legible(await world.store.find(id))).toEqual(before);
    await submissions.stop();
  });
});

it("the gateway counts submissions of unknown outcome by segment", async () => {
  const submissions = await world.open();
  for (const key of ["a", "b"]) await world.claimUnknown(key);
  const other = await world.claim("c", { segment: "fleet" });
  await world.store.markUnknown(other, momentAt(world.time.now()), null);
  expect([...(await submissions.countUnknown())]).toEqual([
    ["fleet", 1],
    ["motor", 2],
  ]);
  await submissions.stop();
});
