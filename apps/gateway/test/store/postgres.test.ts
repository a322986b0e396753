import { randomUUID } from "node:crypto";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { Client } from "pg";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from "vitest";
import { claimTransaction } from "../../src/store/claim.ts";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { executeTransaction } from "../../src/store/postgres/execute-transaction.ts";
import { postgres } from "../../src/store/postgres/postgres-dialect.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Transaction } from "../../src/store/statement.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { transactionsOf } from "../../src/store/transactions.ts";
import { queryAt } from "../harness/store-places.ts";
import { type PostgresProxy, startPostgresProxy } from "../harness/store-proxy.ts";
import {
  keep,
  legible,
  ONCE,
  sampleSettlement,
  sampleSubmission,
} from "../harness/store-samples.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let url: string;
let opened: SubmissionStore[];
let proxy: PostgresProxy | undefined;
beforeEach(async () => {
  url = await server.createDatabase();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await proxy?.close();
  proxy = undefined;
});

async function open(at: string, more: object = {}): Promise<SubmissionStore> {
  const store = await openPostgresStore({ url: at, mode: "serve", ...more });
  opened.push(store);
  return store;
}

async function openThroughProxy(more: object = {}): Promise<{
  readonly store: SubmissionStore;
  readonly proxy: PostgresProxy;
}> {
  proxy = await startPostgresProxy(url);
  return { proxy, store: await open(proxy.url, more) };
}

/** Returns the connections that wait for a lock. */
function waiting(): Promise<readonly unknown[]> {
  return queryAt(
    url,
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
}

/** Returns the connections that the server still serves. A dropped connection may still run a statement. */
function served(): Promise<readonly unknown[]> {
  return queryAt(
    url,
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
}

/** Runs a transaction of another process, without its commit. */
async function runUncommitted<Result>(
  transaction: Transaction<Result>,
): Promise<{ readonly result: Result; readonly commit: () => Promise<unknown> }> {
  const client = new Client({ connectionString: url });
  onTestFinished(() => client.end());
  await client.connect();
  const result = await executeTransaction(client, transaction);
  return { result, commit: () => client.query("COMMIT") };
}

describe("processes that start at the same time", () => {
  it("several processes that start simultaneously with an empty database can all use the store", async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => open(url)));
    const { id } = await keep(stores[0] ?? (await open(url)), "in_flight");
    for (const store of stores) expect((await store.find(id))?.id).toBe(id);
  });
});

describe("a refused request whose key another process is claiming", () => {
  it("a search for an idempotency key waits for another process's uncommitted claim of the key, and then finds the claim", async () => {
    const store = await open(url);
    const submission = sampleSubmission();
    const { commit } = await runUncommitted(claimTransaction(postgres)(submission, ONCE));
    const keyDigest = submission.keyDigest ?? expect.fail("It has a key");
    const found = store.findByKey(keyDigest);
    const isFoundFirst = await Promise.race([
      found.then(() => true),
      vi.waitUntil(async () => (await waiting()).length > 0).then(() => false),
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
    const stores = await Promise.all([open(url), open(url)]);
    const { caller, contentDigest } = sampleSubmission();
    const claims = Array.from({ length: 10 }, () =>
      stores.map((store) =>
        store.claim(sampleSubmission({ keyDigest: null, caller, contentDigest }), ONCE),
      ),
    );
    const claimed = await Promise.all(claims.flat());
    expect(claimed.filter((one) => one.claimed)).toHaveLength(1);
  });

  it("a settlement survives a killed server, even if the database has the setting `synchronous_commit = off`", async () => {
    await set("synchronous_commit = off");
    const store = await open(url);
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

describe("claims and settlements", () => {
  it("the store writes no claim and no settlement if PostgreSQL refuses to begin the transaction", async () => {
    const through = await openThroughProxy();
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
    const store = await open(url);
    const first = sampleSubmission();
    const uncommitted = await runUncommitted(claimTransaction(postgres)(first, ONCE));
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

  it("only one of two processes that simultaneously settle submissions with the same insurer's identifier succeeds", async () => {
    const [store, another] = [await open(url), await open(url)];
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

  it("a settlement waits for another process's uncommitted settlement with the same insurer's identifier", async () => {
    const store = await open(url);
    const [first, second] = [await keep(store, "in_flight"), await keep(store, "in_flight")];
    const named = { insurerId: "D-1" };
    const settling = transactionsOf(postgres).settle(sampleSettlement(first.id, named));
    const uncommitted = await runUncommitted(settling);
    expect(uncommitted.result).toBe("settled");
    const later = store.settle(sampleSettlement(second.id, named));
    await expect.poll(waiting).toHaveLength(1);
    await uncommitted.commit();
    expect(await later).toMatchObject({ owner: { id: first.id } });
  });
});

describe("a server that cannot be reached", () => {
  it("the store cannot be opened if the database server cannot be reached, and the store's error does not contain the password", async () => {
    await server.stop();
    const opening = openPostgresStore({ url, mode: "serve" });
    await expect(opening).rejects.toThrow(new StoreUnavailableError("ECONNREFUSED", false));
    await server.start();
    await (await open(url)).list(["in_flight"], 1);
  });

  it("the store reports that a claim was not written while PostgreSQL is stopped, and claims again when PostgreSQL is back", async () => {
    const store = await open(url);
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
    const store = await open(url, { connectMs: 800, statementMs: 800 });
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
    await (await open(url)).list(["in_flight"], 1);
    const role = `role_${randomUUID()}`;
    await queryAt(
      url,
      `CREATE ROLE "${role}" LOGIN PASSWORD 'p';
       REVOKE CREATE ON SCHEMA public FROM PUBLIC;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "${role}"`,
    );
    const lesser = new URL(url);
    Object.assign(lesser, { username: role, password: "p" });
    await keep(await open(lesser.href), "succeeded");
  });
});

describe("a commit without an answer", () => {
  it.each([
    ["reply lost", "ECONNRESET"],
    ["unanswered", "timeout"],
  ] as const)(
    "the store's error reports that a claim may be written if the claim's commit got no answer: %s",
    async (fate, detail) => {
      const through = await openThroughProxy({ statementMs: 800 });
      const submission = sampleSubmission();
      void through.proxy.nextCommit(fate);
      const claiming = through.store.claim(submission, ONCE);
      await expect(claiming).rejects.toMatchObject({ detail, mayBeWritten: true });
      expect((await through.store.find(submission.id))?.state).toBe("in_flight");
    },
  );

  it.each([
    ["reply lost", "ECONNRESET"],
    ["unanswered", "timeout"],
  ] as const)(
    "the store's error reports that a settlement may be written if the settlement's commit got no answer: %s",
    async (fate, detail) => {
      const through = await openThroughProxy({ statementMs: 800 });
      const { id } = await keep(through.store, "in_flight");
      void through.proxy.nextCommit(fate);
      const settling = through.store.settle(sampleSettlement(id));
      await expect(settling).rejects.toMatchObject({ detail, mayBeWritten: true });
      await expect.poll(async () => (await through.store.find(id))?.state).toBe("succeeded");
    },
  );

  it("the store's error reports that a settlement was not written if PostgreSQL refuses the settlement before the commit", async () => {
    const store = await open(url);
    const { id } = await keep(store, "in_flight");
    await queryAt(
      url,
      "ALTER TABLE gateway_submissions ADD CONSTRAINT refused CHECK (state <> 'succeeded')",
    );
    const settling = store.settle(sampleSettlement(id));
    await expect(settling).rejects.toMatchObject({ detail: "23514", mayBeWritten: false });
    expect((await store.find(id))?.state).toBe("in_flight");
  });

  it("the store's error reports that a settlement may be written if PostgreSQL refuses the settlement's commit", async () => {
    const store = await open(url);
    const { id } = await keep(store, "in_flight");
    await queryAt(
      url,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'refused' USING ERRCODE = '40001'; END $$`,
    );
    await queryAt(
      url,
      `CREATE CONSTRAINT TRIGGER refused AFTER UPDATE ON gateway_submissions
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const settling = store.settle(sampleSettlement(id));
    await expect(settling).rejects.toMatchObject({ detail: "40001", mayBeWritten: true });
    expect((await store.find(id))?.state).toBe("in_flight");
  });

  it("PostgreSQL cancels a settlement that waits too long for another transaction's lock, and writes nothing", async () => {
    const store = await open(url, { statementMs: 300 });
    const { id } = await keep(store, "in_flight");
    const client = new Client({ connectionString: url });
    onTestFinished(() => client.end());
    await client.connect();
    await client.query("BEGIN; SELECT * FROM gateway_submissions FOR UPDATE");
    const settling = store.settle(sampleSettlement(id));
    await expect(settling).rejects.toMatchObject({ detail: "57014", mayBeWritten: false });
    await client.query("ROLLBACK");
    expect((await store.find(id))?.state).toBe("in_flight");
  });

  it("the withdrawal of a claim waits for the claim's commit that PostgreSQL may still write", async () => {
    const { store, ...through } = await openThroughProxy();
    const submission = sampleSubmission();
    void through.proxy.nextCommit("held");
    await expect(store.claim(submission, ONCE)).rejects.toMatchObject({ mayBeWritten: true });
    const withdrawal = store.withdraw(submission.id);
    await expect.poll(waiting).toHaveLength(1);
    through.proxy.releaseCommit();
    await withdrawal;
    expect(await store.find(submission.id)).toBeNull();
    const again = sampleSubmission({ keyDigest: submission.keyDigest });
    expect(await store.claim(again, ONCE)).toEqual({ claimed: true });
  });

  it("a claim whose commit never arrives at PostgreSQL does not block later claims", async () => {
    const through = await openThroughProxy({ statementMs: 800 });
    const submission = sampleSubmission();
    void through.proxy.nextCommit("lost");
    await expect(through.store.claim(submission, ONCE)).rejects.toMatchObject({
      mayBeWritten: true,
    });
    const withdrawn = (): Promise<boolean> =>
      through.store.withdraw(submission.id).then(
        () => true,
        () => false,
      );
    await expect.poll(withdrawn, { timeout: 10_000 }).toBe(true);
    const { contentDigest, keyDigest } = submission;
    const again = sampleSubmission({ contentDigest, keyDigest });
    expect(await through.store.claim(again, ONCE)).toEqual({ claimed: true });
  });
});
