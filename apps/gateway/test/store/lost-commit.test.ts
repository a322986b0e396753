import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import {
  IN_PROGRESS,
  newSendable,
  OUTCOME_UNKNOWN,
  type Sendable,
  STORE_UNAVAILABLE,
  STORE_UNREADABLE,
  send,
} from "../harness/store-calls.ts";
import {
  type StoreInsurers,
  startStoreInsurers,
  submissionsAt,
} from "../harness/store-insurers.ts";
import { queryAt } from "../harness/store-places.ts";
import { type PostgresProxy, startPostgresProxy } from "../harness/store-proxy.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let url: string;
let proxy: PostgresProxy;
let insurers: StoreInsurers;
let time: HeldTime;
let gateway: GatewayInProcess;
beforeEach(async () => {
  url = await server.createDatabase();
  proxy = await startPostgresProxy(url);
  insurers = await startStoreInsurers();
  // Scheduled tasks run only when the test advances the time, so the next commit is the submission's commit.
  time = holdTime();
});
afterEach(async () => {
  await gateway.stop();
  await insurers.close();
  await proxy.close();
});

/** Starts the gateway with settings in the connection string of the database. */
async function start(settings = ""): Promise<void> {
  const environment = { DATABASE_URL: proxy.url + settings };
  gateway = await startInProcess(insurers.configuration, environment, { time });
}

/** Settings with short timeouts, so that no process waits long for a commit that the proxy does not forward. */
const IMPATIENT = "?query_timeout=800&statement_timeout=800";
/** Setting with which the database server soon ends an idle transaction. */
const NO_IDLING = "?idle_in_transaction_session_timeout=800";

/** Reads the states of the stored submissions directly from the database. */
async function keptStates(): Promise<readonly unknown[]> {
  return queryAt(url, "SELECT state FROM gateway_submissions ORDER BY number");
}

/**
 * Expects that a submission's key is free: the gateway sends the submission, and a repeated request gets the stored
 * answer.
 */
async function expectFree(sendable: Sendable): Promise<void> {
  const answered = await send(gateway, sendable);
  expect(answered).toMatchObject({ says: "201", replayed: false });
  expect(await send(gateway, sendable)).toEqual({ ...answered, replayed: true });
  expect(submissionsAt(insurers)).toHaveLength(1);
  expect(await keptStates()).toEqual([{ state: "succeeded" }]);
}

describe("a claim whose commit has no answer", () => {
  it("the gateway withdraws a claim at once if the claim's commit got no answer although the store can be reached", async () => {
    await start();
    const sendable = newSendable();
    const came = proxy.nextCommit("reply lost");
    expect((await send(gateway, sendable)).says).toBe(STORE_UNAVAILABLE);
    await came;
    expect(submissionsAt(insurers)).toEqual([]);
    expect(await keptStates()).toEqual([]);
    await expectFree(sendable);
  });

  it("the gateway sends no request with the idempotency key of a claim whose commit got no answer until the claim is withdrawn", async () => {
    await start();
    const sendable = newSendable();
    const came = proxy.nextCommit("unanswered");
    const sent = send(gateway, sendable);
    await came;
    await expect.poll(keptStates).toEqual([{ state: "in_flight" }]);
    proxy.cut();
    expect((await sent).says).toBe(STORE_UNREADABLE);
    expect((await send(gateway, sendable)).says).toBe(STORE_UNREADABLE);
    await time.tick();
    proxy.mend();
    expect((await send(gateway, sendable)).says).toBe(IN_PROGRESS);
    expect(submissionsAt(insurers)).toEqual([]);
    await time.tick();
    expect(await keptStates()).toEqual([]);
    await expectFree(sendable);
  });

  it("the gateway withdraws a claim even if the database writes the claim only after the first attempt to withdraw the claim", async () => {
    await start(IMPATIENT);
    const sendable = newSendable();
    const came = proxy.nextCommit("held");
    // The gateway cannot read the record of the key while a claim of the key may still be written.
    expect((await send(gateway, sendable)).says).toBe(STORE_UNREADABLE);
    await came;
    expect(await keptStates()).toEqual([]);
    proxy.releaseCommit();
    await expect.poll(keptStates).toEqual([{ state: "in_flight" }]);
    await time.tick();
    expect(await keptStates()).toEqual([]);
    await expectFree(sendable);
  });

  it("PostgreSQL rolls a claim back if the claim's commit never arrives, and then the idempotency key can be sent again", async () => {
    await start(NO_IDLING);
    const sendable = newSendable();
    const came = proxy.nextCommit("lost");
    expect((await send(gateway, sendable)).says).toBe(STORE_UNAVAILABLE);
    await came;
    const transactions = (): Promise<readonly unknown[]> =>
      queryAt(url, "SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction'");
    await expect.poll(transactions).toEqual([]);
    await time.tick();
    await expectFree(sendable);
  });
});

describe("a result whose commit has no answer", () => {
  it.each(["reply lost", "lost"] as const)(
    "the gateway stores a submission's result again if the result's commit got no answer, and replays the result: %s",
    async (fate) => {
      await start(NO_IDLING);
      const sendable = newSendable();
      insurers.beforeAnswer(async () => void proxy.nextCommit(fate));
      expect((await send(gateway, sendable)).says).toBe(OUTCOME_UNKNOWN);
      const replay = async (): Promise<unknown> => {
        await time.tick();
        const { replayed, says } = await send(gateway, sendable);
        return { replayed, says };
      };
      await expect.poll(replay).toEqual({ replayed: true, says: "201" });
      expect(submissionsAt(insurers)).toHaveLength(1);
      expect(await keptStates()).toEqual([{ state: "succeeded" }]);
    },
  );
});
