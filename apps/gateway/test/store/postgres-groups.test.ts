import { randomUUID } from "node:crypto";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { claimTransaction } from "../../src/store/claim.ts";
import { postgres } from "../../src/store/postgres/postgres-dialect.ts";
import type { NewSubmission } from "../../src/store/record.ts";
import type { Transaction } from "../../src/store/statement.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { transactionsOf } from "../../src/store/transactions.ts";
import { queryAt } from "../harness/store-places.ts";
import { keep, ONCE, sampleSettlement, sampleSubmission } from "../harness/store-samples.ts";
import { connectTo, openAt, openThroughProxy, runUncommitted } from "./postgres-processes.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let url: string;
let store: SubmissionStore;
beforeEach(async () => {
  url = await server.createDatabase();
  store = await openAt(url);
});

/** Returns the number of transactions that wrote the rows of submissions. */
async function transactions(): Promise<unknown> {
  const [row] = await queryAt(
    url,
    "SELECT COUNT(DISTINCT xmin::text) AS count FROM gateway_submissions",
  );
  return Number(Object(row).count);
}

function samples(count: number, more: Partial<NewSubmission> = {}): readonly NewSubmission[] {
  return Array.from({ length: count }, () => sampleSubmission(more));
}

describe("submissions that arrive together", () => {
  it("the store claims simultaneous submissions in one transaction, and writes the submissions' results in another transaction", async () => {
    const submissions = samples(10);
    const claimed = await Promise.all(submissions.map((one) => store.claim(one, ONCE)));
    expect(claimed).toEqual(submissions.map(() => ({ claimed: true })));
    expect(await transactions()).toBe(1);
    const settled = submissions.map(({ id }) => store.settle(sampleSettlement(id)));
    expect(await Promise.all(settled)).toEqual(submissions.map(() => "settled"));
    expect(await transactions()).toBe(1);
  });

  it("the store claims simultaneous submissions on a broker's account in one transaction", async () => {
    const submissions = samples(10, { account: "a broker's own" });
    await Promise.all(submissions.map((one) => store.claim(one, ONCE)));
    expect(await transactions()).toBe(1);
  });

  it("the store writes simultaneous claims and results in one transaction", async () => {
    const open = await Promise.all(samples(5).map((one) => keep(store, "in_flight", one)));
    await Promise.all([
      ...samples(5).map((one) => store.claim(one, ONCE)),
      ...open.map(({ id }) => store.settle(sampleSettlement(id))),
    ]);
    expect(await transactions()).toBe(1);
    for (const { id } of open) expect((await store.find(id))?.state).toBe("succeeded");
  });

  it("the store claims all submissions that arrive during an earlier write in one transaction", async () => {
    const { id } = await keep(store, "in_flight");
    const client = await connectTo(url);
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM gateway_submissions FOR UPDATE");
    const settling = store.settle(sampleSettlement(id));
    const claims: Promise<unknown>[] = [];
    for (const submission of samples(3)) {
      // Each claim begins in a separate turn of the event loop.
      await new Promise(setImmediate);
      claims.push(store.claim(submission, ONCE));
    }
    await Promise.all(claims);
    expect(await transactions()).toBe(2);
    await client.query("COMMIT");
    expect(await settling).toBe("settled");
  });

  it("the store claims at most fifty submissions in one transaction", async () => {
    await Promise.all(samples(120).map((one) => store.claim(one, ONCE)));
    expect(await transactions()).toBe(3);
  });

  it("the store claims only one of several simultaneous submissions with the same idempotency key", async () => {
    const { caller, contentDigest, keyDigest } = sampleSubmission();
    const equal = samples(5, { caller, contentDigest, keyDigest });
    const claims = await Promise.all(
      [...equal, ...samples(2)].map((one) => store.claim(one, ONCE)),
    );
    expect(claims.slice(0, 5).filter(({ claimed }) => claimed)).toHaveLength(1);
    expect(claims.filter(({ claimed }) => !claimed)).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ relation: "same_key" })),
    );
    expect(claims.slice(5)).toEqual([{ claimed: true }, { claimed: true }]);
  });

  it("the store claims only one of several equal submissions that arrive together after an equal submission has failed", async () => {
    const failed = await keep(store, "failed");
    const { caller, contentDigest } = failed;
    const equal = samples(5, { caller, contentDigest, keyDigest: null });
    const claims = await Promise.all(equal.map((one) => store.claim(one, ONCE)));
    expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
  });

  it("the store writes the result of only one of two submissions with the same insurer's identifier", async () => {
    const [one, other] = [await keep(store, "in_flight"), await keep(store, "in_flight")];
    const settled = [one, other].map(({ id }) =>
      store.settle(sampleSettlement(id, { insurerId: "D-1" })),
    );
    expect(await Promise.all(settled)).toEqual(["settled", { owner: expect.anything() }]);
  });
});

describe("a submission that has to wait for another process", () => {
  it("a claim that waits for an equal claim of another process does not delay other submissions", async () => {
    const first = sampleSubmission();
    const ended = await keep(store, "in_flight");
    const uncommitted = await runUncommitted(url, claimTransaction(postgres)(first, ONCE));
    const { caller, contentDigest } = first;
    const equal = sampleSubmission({ caller, contentDigest, keyDigest: null });
    const again = store.claim(equal, ONCE);
    const isWaiting = again.then(() => false);
    const others = [
      ...samples(2).map((one) => store.claim(one, ONCE)),
      // A settlement with the state `failed` needs no lock.
      store.settle(sampleSettlement(ended.id, { state: "failed", insurerId: null })),
    ];
    expect(await Promise.all(others)).toEqual([{ claimed: true }, { claimed: true }, "settled"]);
    expect(await Promise.race([isWaiting, Promise.resolve(true)])).toBe(true);
    await uncommitted.commit();
    expect(await again).toMatchObject({ claimed: false, relation: "same_content" });
  });

  it("the write of a result that waits for a row lock of another process does not delay a claim", async () => {
    const ended = await keep(store, "in_flight");
    const client = await connectTo(url);
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM gateway_submissions FOR UPDATE");
    const settling = store.settle(sampleSettlement(ended.id));
    expect(await store.claim(sampleSubmission(), ONCE)).toEqual({ claimed: true });
    await client.query("COMMIT");
    expect(await settling).toBe("settled");
  });
});

describe("a submission that PostgreSQL refuses", () => {
  it("the store refuses only the submission that PostgreSQL refuses, and claims the other submissions of the same transaction", async () => {
    const { id } = await keep(store, "in_flight");
    const claims = [sampleSubmission(), sampleSubmission({ id }), sampleSubmission()];
    const claimed = await Promise.allSettled(claims.map((one) => store.claim(one, ONCE)));
    expect(claimed).toEqual([
      { status: "fulfilled", value: { claimed: true } },
      {
        status: "rejected",
        reason: expect.objectContaining({ detail: "23505", mayBeWritten: false }),
      },
      { status: "fulfilled", value: { claimed: true } },
    ]);
  });
});

describe("prepared statements of PostgreSQL", () => {
  it.each<[string, Transaction<unknown>]>([
    ["a claim", claimTransaction(postgres)(sampleSubmission(), ONCE)],
    ["a settlement", transactionsOf(postgres).settle(sampleSettlement(randomUUID()))],
  ])(
    "PostgreSQL plans a prepared statement with indexes only, even for a table without rows: %s",
    async (_, transaction) => {
      const client = await connectTo(url);
      await client.query("SET plan_cache_mode = force_generic_plan");
      let step = transaction.next();
      while (step.done !== true && "locks" in step.value) step = transaction.next([]);
      if (step.done === true || "locks" in step.value) return expect.fail("It needs no statement");
      const { sql, values } = step.value;
      await client.query(`PREPARE planned AS ${sql}`);
      const nulls = values.map(() => "NULL").join();
      const { rows } = await client.query(`EXPLAIN EXECUTE planned(${nulls})`);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toContain("Index");
      expect(plan).not.toContain("Seq Scan");
    },
  );
});

describe("a pooler that gives each transaction another connection", () => {
  it("the store claims submissions even if the pooler's new connection has no prepared statements", async () => {
    const through = await openThroughProxy(url);
    await keep(through.store, "in_flight");
    through.proxy.losePrepared();
    // The proxy's new connection has not yet prepared the statement for a claim without a key.
    const others = samples(3, { keyDigest: null }).map((one) => through.store.claim(one, ONCE));
    expect(await Promise.all(others)).toEqual(others.map(() => ({ claimed: true })));
    expect(await transactions()).toBe(4);
    await Promise.all(samples(3).map((one) => through.store.claim(one, ONCE)));
    expect(await transactions()).toBe(5);
  });
});

describe("a PostgreSQL connection that hangs", () => {
  it("the store uses another connection for later submissions while a commit hangs", async () => {
    const through = await openThroughProxy(url, { statementMs: 3_000 });
    await keep(through.store, "in_flight");
    const committed = through.proxy.nextCommit("unanswered");
    const hanging = through.store.claim(sampleSubmission(), ONCE).catch((error: unknown) => error);
    await committed;
    const later = through.store.claim(sampleSubmission(), ONCE);
    expect(await Promise.race([hanging, later])).toEqual({ claimed: true });
    expect(await hanging).toMatchObject({ detail: "timeout", mayBeWritten: true });
  });
});

describe("a store that is closed", () => {
  it("the closing of a store waits until all earlier requests have been finished", async () => {
    const closing = await openAt(url);
    const claims = samples(60).map((one) => closing.claim(one, ONCE));
    await closing.close();
    expect(await Promise.all(claims)).toEqual(claims.map(() => ({ claimed: true })));
  });
});

describe("a PostgreSQL server that hangs", () => {
  it("a submission waits for at most one earlier group of submissions while PostgreSQL hangs", async () => {
    const impatient = await openAt(url, { connectMs: 1_000, statementMs: 300 });
    await keep(impatient, "in_flight");
    server.pause();
    const claims = samples(300).map((one) => impatient.claim(one, ONCE));
    const order: number[] = [];
    for (const [at, claim] of claims.entries())
      claim.catch(() => {}).finally(() => void order.push(at));
    const ended = await Promise.allSettled(claims);
    // The claim with the index 149 is in the third group, which begins later and then waits for a connection. The last
    // claim fails earlier, because it waits just as long for its group.
    expect(order.indexOf(claims.length - 1)).toBeLessThan(order.indexOf(149));
    server.resume();
    expect(ended).toEqual(
      claims.map(() => ({
        status: "rejected",
        reason: expect.objectContaining({ detail: "timeout", mayBeWritten: false }),
      })),
    );
  });
});
