import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/configuration/configuration-error.ts";
import { createEncryption } from "../../src/store/encryption.ts";
import { StoreRefusedError, StoreUnavailableError } from "../../src/store/faults.ts";
import { submitApplication } from "../harness/applications.ts";
import { problem } from "../harness/insurer.ts";
import { keyNamed } from "../harness/key-named.ts";
import { problemIn } from "../harness/problem.ts";
import { newSendable } from "../harness/store-calls.ts";
import { momentAt, sampleSubmission } from "../harness/store-samples.ts";
import { waitTurns } from "../harness/turns.ts";
import { startWithStore } from "./gateway-with-store.ts";
import {
  caller,
  createWorld,
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

it("a refused request reports `unknown` as long as the gateway claims one of several requests with the same idempotency key", async () => {
  const gateway = await startWithStore();
  /** Makes the gateway's next claim wait until the test calls `end`. */
  const holdClaim = (): { readonly begun: Promise<void>; readonly end: () => void } => {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    gateway.replaceStoreMethods({
      async claim(...parameters) {
        gateway.restoreStore();
        begun.resolve();
        await ended.promise;
        return gateway.store.claim(...parameters);
      },
    });
    return { begun: begun.promise, end: ended.resolve };
  };
  const { body, key } = newSendable();
  const outcomeOf = async (sent: string, token = gateway.token): Promise<string> => {
    const caller = { address: gateway.address, token };
    const answer = await submitApplication(caller, {}, { "idempotency-key": sent });
    const { code, outcome, retry } = await problemIn(answer);
    return `${code} ${outcome} ${retry}`;
  };
  const [known, unknown] = ["VALIDATION_FAILED not_sent never", "VALIDATION_FAILED unknown never"];
  gateway.insurer.behaviour = problem(429, "RATE_LIMITED");
  const claims = [holdClaim()];
  const answers = [gateway.submit({ body, key })];
  await claims[0]?.begun;
  claims.push(holdClaim());
  answers.push(gateway.submit({ body, key }));
  await claims[1]?.begun;
  for (const [index, answer] of answers.entries()) {
    expect(await outcomeOf(key)).toBe(unknown);
    expect(await outcomeOf(randomUUID())).toBe(known);
    expect(await outcomeOf(key, await gateway.tokenFor("another broker"))).toBe(known);
    claims[index]?.end();
    await answer;
  }
  expect(await outcomeOf(key)).toBe(known);
});

describe("opening and closing the submissions", () => {
  it("a starting gateway marks submissions in flight as unknown if no other process uses the store", async () => {
    const id = await world.claim("a");
    const submissions = await world.open();
    expect(await world.store.find(id)).toMatchObject({
      state: "outcome_unknown",
      unknownAt: world.time.now(),
      nextQueryAt: world.time.now(),
    });
    await submissions.stop();
  });

  it("a starting gateway leaves submissions in flight to other processes of a shared store until the submissions' leases end", async () => {
    const id = await world.claim("a");
    const submissions = await world.open(true);
    expect((await world.store.find(id))?.state).toBe("in_flight");
    await submissions.stop();
  });

  it("a starting gateway makes all planned queries due for each segment that has a submission endpoint", async () => {
    const [one, other] = [
      await world.claimUnknown("a"),
      await world.claim("b", { segment: "fleet" }),
    ];
    await world.store.markUnknown(other, momentAt(world.time.now()), world.time.now() + HOUR);
    const elsewhere = await world.claim("c", { segment: "reading" });
    await world.store.markUnknown(elsewhere, momentAt(world.time.now()), world.time.now() + HOUR);
    const submissions = await world.open();
    expect(await Promise.all([one, other, elsewhere].map(world.nextQueryIn))).toEqual([0, 0, HOUR]);
    await submissions.stop();
    expect(world.isClosed).toBe(true);
  });

  it("a starting gateway closes the store if the store's secret cannot be decrypted", async () => {
    const wrong = createEncryption([{ ...keyNamed("x"), id: "one" }]);
    await world.store.putSecret(
      "digests",
      { keyId: "one", encrypted: wrong.encrypt(Buffer.alloc(32), "digests") },
      "one",
    );
    await expect(world.open()).rejects.toThrow(ConfigurationError);
    expect(world.isClosed).toBe(true);
  });

  it("the gateway closes the store if the start of the part that handles submissions fails", async () => {
    world.startFault = new TypeError("not so");
    await expect(world.open()).rejects.toBe(world.startFault);
    expect(world.isClosed).toBe(true);
  });

  it("a stopping gateway closes the store only after the queries in progress have ended", async () => {
    await world.claimUnknown("a");
    const { begun, end } = world.hold("query");
    const submissions = await world.open();
    const ticked = world.time.tick();
    await begun;
    const stopped = submissions.stop();
    await setImmediate();
    expect(world.isClosed).toBe(false);
    end();
    await Promise.all([ticked, stopped]);
    expect(world.isClosed).toBe(true);
  });

  it.each([
    ["the accounts have been read", "refresh", true],
    ["expired leases have been ended", "expireLeases", true],
    ["the counted calls have been written", "addCounts", false],
  ])("a stopping gateway closes the store only after %s", async (_, name, isScheduled) => {
    const submissions = await world.open(true);
    // A scheduled task, or the gateway's stop, writes the count of this call to the store.
    const endpoint = {
      segment: "motor",
      endpoint: "createApplication",
      kind: "submission",
    } as const;
    world.usage.observation.heldBack(endpoint, "breaker");
    const { begun, end } = world.hold(name);
    const ticked = isScheduled ? world.time.tick() : undefined;
    if (isScheduled) await begun;
    const stopped = submissions.stop();
    await begun;
    await waitTurns(3);
    expect(world.isClosed).toBe(false);
    end();
    await Promise.all([ticked, stopped]);
    expect(world.isClosed).toBe(true);
  });

  it.each([
    ["the accounts use the opened store", "opened"],
    ["the accounts of open submissions are checked", "openAccounts"],
  ])("a starting gateway starts no scheduled task before %s", async (_, name) => {
    const { begun, end } = world.hold(name);
    const opening = world.open();
    await begun;
    await waitTurns(3);
    expect(world.intervals).toEqual([]);
    end();
    await (await opening).stop();
  });

  it.each([
    ["the stop ends", false],
    ["a failed start is reported", true],
  ])("the gateway closes the store before %s", async (_, fails) => {
    const { begun, end } = world.hold("close");
    if (fails) world.startFault = new TypeError("not so");
    let isEnded = false;
    const ended = world
      .open()
      .then((submissions) => submissions.stop())
      .catch((error: unknown) => expect(error).toBe(world.startFault))
      .then(() => {
        isEnded = true;
      });
    await begun;
    await waitTurns(3);
    expect(isEnded).toBe(false);
    end();
    await ended;
  });

  it("a gateway that is stopped during the opening of the store closes the store", async () => {
    world.fault = new StoreUnavailableError("ECONNREFUSED", false);
    const submissions = await world.open();
    world.fault = null;
    const { begun, end } = world.hold("openStore");
    const ticked = world.time.tick();
    await begun;
    const stopped = submissions.stop();
    await waitTurns(3);
    end();
    await Promise.all([ticked, stopped]);
    expect(world.isClosed).toBe(true);
  });

  it("the gateway reads the accounts in the store once a second, because a command may have changed an account", async () => {
    const submissions = await world.open();
    expect(world.refreshed).toBe(0);
    for (const times of [1, 2]) {
      await world.time.tick();
      expect(world.refreshed).toBe(times);
    }
    expect(world.refreshedEvery).toBe(1_000);
    await submissions.stop();
  });

  it("a stopping gateway writes the counted calls, and does not use the store afterwards", async () => {
    const submissions = await world.open();
    const place = { account: "default", segment: "motor" };
    await world.usage.quotas.admit({ ...place, endpoint: "createApplication", kind: "submission" });
    await submissions.stop();
    expect(world.usage.unwritten()).toBe(0);
    const before = world.transactions;
    for (let times = 0; times < 3; times++) {
      world.time.forward(HOUR);
      await world.time.tick();
    }
    expect([world.transactions - before, world.refreshed]).toEqual([0, 0]);
  });

  it("the gateway refuses submissions while the store cannot be reached, and accepts submissions when the store is back", async () => {
    world.fault = new StoreUnavailableError("ECONNREFUSED", false);
    const submissions = await world.open();
    const { id } = sampleSubmission();
    const unreachable =
      "the store cannot be reached; submissions are refused until the store is back";
    expect(world.log.read()).toEqual([{ level: 50, detail: "ECONNREFUSED", msg: unreachable }]);
    expect((await refusalOf(submissions.status(caller, id))).code).toBe("STORE_UNAVAILABLE");
    expect((await refusalOf(submissions.countUnknown())).code).toBe("STORE_UNAVAILABLE");
    const unread = await submissions.refused(refused, {
      route: motor,
      caller,
      account: "default",
      key: "a",
    });
    expect(unread).toMatchObject({ facts: { outcome: "unknown", retry: "same_key" } });
    expect(submissions.pseudonym(caller)).toBeNull();
    submissions.insurerRecovered("motor", null);
    expect(world.intervals).toEqual([1_000]);
    await world.time.tick();
    expect(world.log.read()).toEqual([]);
    world.fault = null;
    await world.time.tick();
    const reached = "the store can be reached again; submissions are accepted";
    expect(world.log.read()).toEqual([{ level: 30, msg: reached }]);
    expect(submissions.pseudonym(caller)).toBe(world.identity.pseudonym(caller));
    expect(await submissions.status(caller, await world.claim("a"))).toMatchObject({
      state: "in_flight",
    });
    await submissions.stop();
  });

  it("the gateway logs a fault of the store that only an operator can correct, and refuses submissions", async () => {
    world.fault = new StoreUnavailableError("ECONNREFUSED", false);
    const submissions = await world.open();
    world.log.read();
    world.fault = new StoreRefusedError("A newer gateway wrote it.");
    await world.time.tick();
    const unusable = "the store cannot be used; a restart of the gateway prints the reason";
    expect(world.log.read()).toEqual([{ level: 50, failure: "StoreRefusedError", msg: unusable }]);
    expect((await refusalOf(submissions.countUnknown())).code).toBe("STORE_UNAVAILABLE");
    await submissions.stop();
  });

  it("a stopped gateway does not try again to open an unavailable store", async () => {
    world.fault = new StoreUnavailableError("ECONNREFUSED", false);
    const submissions = await world.open();
    await submissions.stop();
    world.fault = null;
    world.log.read();
    await world.time.tick();
    expect(world.log.read()).toEqual([]);
  });
});
