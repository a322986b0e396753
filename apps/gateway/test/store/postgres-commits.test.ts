import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { queryAt } from "../harness/store-places.ts";
import { keep, ONCE, sampleSettlement, sampleSubmission } from "../harness/store-samples.ts";
import { connectTo, openAt, openThroughProxy, waitingAt } from "./postgres-processes.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let url: string;
beforeEach(async () => {
  url = await server.createDatabase();
});

describe.each([
  ["reply lost", "ECONNRESET"],
  ["unanswered", "timeout"],
] as const)("a commit without an answer: %s", (fate, detail) => {
  it("the store's error reports that a claim may be written if the claim's commit got no answer", async () => {
    const { proxy, store } = await openThroughProxy(url, { statementMs: 800 });
    const submission = sampleSubmission();
    void proxy.nextCommit(fate);
    const claiming = store.claim(submission, ONCE);
    await expect(claiming).rejects.toMatchObject({ detail, mayBeWritten: true });
    expect((await store.find(submission.id))?.state).toBe("in_flight");
  });

  it("the store's error reports that a submission's result may be written if the result's commit got no answer", async () => {
    const { proxy, store } = await openThroughProxy(url, { statementMs: 800 });
    const { id } = await keep(store, "in_flight");
    void proxy.nextCommit(fate);
    const settling = store.settle(sampleSettlement(id));
    await expect(settling).rejects.toMatchObject({ detail, mayBeWritten: true });
    await expect.poll(async () => (await store.find(id))?.state).toBe("succeeded");
  });
});

it("the store's error reports that a submission's result was not written if PostgreSQL refuses the result before the commit", async () => {
  const store = await openAt(url);
  const { id } = await keep(store, "in_flight");
  await queryAt(
    url,
    "ALTER TABLE gateway_submissions ADD CONSTRAINT refused CHECK (state <> 'succeeded')",
  );
  const settling = store.settle(sampleSettlement(id));
  await expect(settling).rejects.toMatchObject({ detail: "23514", mayBeWritten: false });
  expect((await store.find(id))?.state).toBe("in_flight");
});

it("the store's error reports that a submission's result may be written if PostgreSQL refuses the result's commit", async () => {
  const store = await openAt(url);
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

it("PostgreSQL cancels the write of a result that waits too long for another transaction's lock, and writes nothing", async () => {
  const store = await openAt(url, { statementMs: 1_000 });
  const { id } = await keep(store, "in_flight");
  const client = await connectTo(url);
  await client.query("BEGIN; SELECT * FROM gateway_submissions FOR UPDATE");
  const settling = store.settle(sampleSettlement(id));
  await expect(settling).rejects.toMatchObject({ detail: "57014", mayBeWritten: false });
  await client.query("ROLLBACK");
  expect((await store.find(id))?.state).toBe("in_flight");
});

it("the withdrawal of a claim waits while PostgreSQL may still commit the claim", async () => {
  const { store, ...through } = await openThroughProxy(url);
  const submission = sampleSubmission();
  void through.proxy.nextCommit("held");
  await expect(store.claim(submission, ONCE)).rejects.toMatchObject({ mayBeWritten: true });
  const withdrawal = store.withdraw(submission.id);
  await expect.poll(() => waitingAt(url)).toHaveLength(1);
  through.proxy.releaseCommit();
  await withdrawal;
  expect(await store.find(submission.id)).toBeNull();
  const again = sampleSubmission({ keyDigest: submission.keyDigest });
  expect(await store.claim(again, ONCE)).toEqual({ claimed: true });
});

it("a claim whose commit never arrives at PostgreSQL does not block later claims", async () => {
  const through = await openThroughProxy(url, { statementMs: 800 });
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
  await expect.poll(withdrawn).toBe(true);
  const { contentDigest, keyDigest } = submission;
  const again = sampleSubmission({ contentDigest, keyDigest });
  expect(await through.store.claim(again, ONCE)).toEqual({ claimed: true });
});
