import { randomUUID } from "node:crypto";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { claimTransaction } from "../../src/store/claim.ts";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { postgres } from "../../src/store/postgres/postgres-dialect.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { transactionsOf } from "../../src/store/transactions.ts";
import { queryAt } from "../harness/store-places.ts";
import {
  keep,
  legible,
  ONCE,
  sampleSettlement,
  sampleSubmission,
} from "../harness/store-samples.ts";
import { openAt, openThroughProxy, runUncommitted, waitingAt } from "./postgres-processes.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let url: string;
beforeEach(async () => {
  url = await server.createDatabase();
});

const open = (more?: object): Promise<SubmissionStore> => openAt(url, more);
const waiting = (): Promise<readonly unknown[]> => waitingAt(url);

/** Returns the connections that the server still serves. A dropped connection may still run a statement. */
function served(): Promise<readonly unknown[]> {
  return queryAt(
    url,
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
}

describe("processes that start at the same time", () => {
  it("several processes that start simultaneously with an empty database can all use the store", async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => open()));
    const { id } = await keep(stores[0] ?? (await open()), "in_flight");
    for (const store of stores) expect((await store.find(id))?.id).toBe(id);
  });
});

describe("a refused request whose key another process is claiming", () => {
  it("a search for an idempotency key waits for another process's uncommitted claim of the key, and then finds the claim", async () => {
    const store = await open();
    const submission = sampleSubmission();
    const { commit } = await runUncommitted(url, claimTransaction(postgres)(submission, ONCE));
    const keyDigest = submission.keyDigest ?? expect.fail("It has a key");
    const found = store.findByKey(keyDigest);
    const isFoundFirst = await Promise.race([
      found.then(() => true),
      expect
        .poll(waiting)
        .toHaveLength(1)
        .then(() => false),
    ]);
    expect(isFoundFirst).toBe(false);
    await commit();
    expect((await found)?.id).toBe(submission.id);
  });
});

describe("settings of a database", () => {
  async function set(setting: string): Promise<void> {
    await queryAt(url, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET ${setting}`);
  }

  it("two processes claim equal content only once, even if the database's default isolation is `repeatable read`", async () => {
    await set("default_transaction_isolation = 'repeatable read'");
    const stores = await Promise.all([open(), open()]);
    const { caller, contentDigest } = sampleSubmission();
    const claims = Array.from({ length: 10 }, () =>
      stores.map((store) =>
        store.claim(sampleSubmission({ keyDigest: null, caller, contentDigest }), ONCE),
      ),
    );
    const claimed = await Promise.all(claims.flat());
    expect(claimed.filter((one) => one.claimed)).toHaveLength(1);
  });

  it("a stored result survives a killed server, even if the database has the setting `synchronous_commit = off`", async () => {
    await set("synchronous_commit = off");
    const store = await open();
    const { id } = await keep(store, "in_flight");
    const settlement = sampleSettlement(id);
    expect(await store.settle(settlement)).toBe("settled");
    await server.kill();
    await server.start();
    expect(legible(await store.find(id))).toMatchObject({
      state: "succeeded",
      answer: legible(settlement)?.answer,
    });
  });
});

describe("claims and results of submissions", () => {
  it("the store writes no claim and no result if PostgreSQL refuses to begin the transaction", async () => {
    const through = await openThroughProxy(url);
    const submission = sampleSubmission();
    const refused = { detail: "42601", mayBeWritten: false };
    through.proxy.spoilBeginning();
    await expect(through.store.claim(submission, ONCE)).rejects.toMatchObject(refused);
    await expect.poll(served).toHaveLength(1);
    expect(await through.store.find(submission.id)).toBeNull();
    await through.store.claim(submission, ONCE);
    through.proxy.spoilBeginning();
    const settling = through.store.settle(sampleSettlement(submission.id));
    await expect(settling).rejects.toMatchObject(refused);
    await expect.poll(served).toHaveLength(1);
    expect((await through.store.find(submission.id))?.state).toBe("in_flight");
  });

  it("a claim waits for another process's uncommitted claim with the same content", async () => {
    const store = await open();
    const first = sampleSubmission();
    const uncommitted = await runUncommitted(url, claimTransaction(postgres)(first, ONCE));
    const { caller, contentDigest, keyDigest } = first;
    const others = [
      sampleSubmission({ keyDigest }),
      sampleSubmission({ caller, contentDigest, keyDigest: null }),
    ].map((one) => store.claim(one, ONCE));
    await expect.poll(waiting).toHaveLength(2);
    await uncommitted.commit();
    const relations = (await Promise.all(others)).map((one) => Object(one).relation);
    expect(relations).toEqual(["same_key", "same_content"]);
  });

  it("only one of two processes that simultaneously write results with the same insurer's identifier succeeds", async () => {
    const [store, another] = [await open(), await open()];
    for (let round = 0; round < 20; round += 1) {
      const [one, other] = [await keep(store, "in_flight"), await keep(store, "in_flight")];
      const named = { insurerId: `D-${round}` };
      const settled = await Promise.all([
        store.settle(sampleSettlement(one.id, named)),
        another.settle(sampleSettlement(other.id, named)),
      ]);
      expect(settled.filter((outcome) => outcome === "settled")).toHaveLength(1);
      const [loser] = settled.filter((outcome) => outcome !== "settled");
      const winner = settled[0] === "settled" ? one : other;
      expect(loser).toMatchObject({ owner: { id: winner.id } });
    }
  });

  it("the write of a result waits for another process's uncommitted result with the same insurer's identifier", async () => {
    const store = await open();
    const [first, second] = [await keep(store, "in_flight"), await keep(store, "in_flight")];
    const named = { insurerId: "D-1" };
    const settling = transactionsOf(postgres).settle(sampleSettlement(first.id, named));
    const uncommitted = await runUncommitted(url, settling);
    expect(uncommitted.result).toBe("settled");
    const later = store.settle(sampleSettlement(second.id, named));
    await expect.poll(waiting).toHaveLength(1);
    await uncommitted.commit();
    expect(await later).toMatchObject({ owner: { id: first.id } });
  });
});

describe("a PostgreSQL server that cannot be reached", () => {
  it("the store cannot be opened if the database server cannot be reached, and the store's error does not contain the password", async () => {
    await server.stop();
    const opening = openPostgresStore({ url, mode: "serve" });
    await expect(opening).rejects.toThrow(new StoreUnavailableError("ECONNREFUSED", false));
    await server.start();
    await (await open()).list(["in_flight"], 1);
  });

  it("the store reports that a claim was not written while PostgreSQL is stopped, and claims again when PostgreSQL is back", async () => {
    const store = await open();
    const before = await keep(store, "in_flight");
    await server.stop();
    const submission = sampleSubmission();
    await expect(store.claim(submission, ONCE)).rejects.toMatchObject({
      detail: "ECONNREFUSED",
      mayBeWritten: false,
    });
    await server.start();
    expect(await store.find(submission.id)).toBeNull();
    expect((await store.find(before.id))?.id).toBe(before.id);
    expect(await store.claim(submission, ONCE)).toEqual({ claimed: true });
  });

  it("callers get an answer and the store closes even if PostgreSQL hangs", async () => {
    const store = await open({ connectMs: 800, statementMs: 800 });
    await keep(store, "in_flight");
    server.pause();
    const asked = Array.from({ length: 30 }, () => store.claim(sampleSubmission(), ONCE));
    const answered = await Promise.allSettled(asked);
    await store.close();
    server.resume();
    expect(answered.map(({ status }) => status)).toEqual(asked.map(() => "rejected"));
    expect(answered[0]).toMatchObject({ reason: { detail: "timeout", mayBeWritten: false } });
  });
});

describe("a database role with few rights", () => {
  it("a role that cannot change the schema can serve from a schema that is up to date", async () => {
    await (await open()).list(["in_flight"], 1);
    const role = `role_${randomUUID()}`;
    await queryAt(
      url,
      `CREATE ROLE "${role}" LOGIN PASSWORD 'p';
       REVOKE CREATE ON SCHEMA public FROM PUBLIC;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "${role}"`,
    );
    const lesser = new URL(url);
    Object.assign(lesser, { username: role, password: "p" });
    await keep(await openAt(lesser.href), "succeeded");
  });
});
