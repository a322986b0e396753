import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import type { Arrival } from "@insurance-gateway/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import {
  newSendable,
  OUTCOME_UNKNOWN,
  type Sendable,
  STORE_UNREADABLE,
  send,
  stateOf,
} from "../harness/store-calls.ts";
import { holdAnswers, type StoreInsurers, startStoreInsurers } from "../harness/store-insurers.ts";
import { type Load, type LoadedSubmission, SUBMITTERS, startLoad } from "./store-load.ts";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let insurers: StoreInsurers;
let gateway: GatewayInProcess;
let load: Load;
beforeEach(async () => {
  insurers = await startStoreInsurers();
  const database = new URL(await server.createDatabase());
  // With short timeouts, callers wait only for a short time if the server hangs.
  database.search = "query_timeout=1500&statement_timeout=1500";
  gateway = await startInProcess(insurers.configuration, { DATABASE_URL: database.href });
  load = startLoad(
    gateway,
    ({ body }) => arrivals().filter((one) => one.body === textOf(body)).length,
  );
});
afterEach(async () => {
  await load.abandon();
  await gateway.stop();
  await insurers.close();
});

/** Returns the submissions that reached the insurer. */
function arrivals(): readonly Arrival[] {
  return insurers.applications.arrivals().filter(({ method }) => method === "POST");
}

/** Returns a body as the text that the insurer receives. */
function textOf(body: object): string {
  return JSON.stringify(body);
}

/** Returns the number of submitters with a submission for which `fits` returns true. */
function submittersWith(fits: (submission: LoadedSubmission) => boolean): number {
  return new Set(load.submissions.filter(fits).map(({ submitter }) => submitter)).size;
}

/** Breaks the database server while half of the submitters wait for the insurer and the other half send. */
async function breakUnderLoad(breakIt: () => unknown): Promise<void> {
  const answered = (): number => submittersWith(({ answer }) => answer !== null);
  await expect.poll(answered).toBe(SUBMITTERS);
  const held = holdAnswers(insurers, SUBMITTERS / 2);
  // The insurer does not answer two of the executed submissions.
  insurers.applications.script("execute-then-reset", "execute-then-reset");
  await held.all;
  await breakIt();
  held.release();
}

/**
 * Waits until the gateway refuses every submitter while the database server is broken. Returns five further
 * submissions, which the gateway also refused.
 */
async function goOnBroken(): Promise<readonly Sendable[]> {
  const before = load.lookups.length;
  const begun = Array.from({ length: 5 }, newSendable);
  const replies = Promise.all(begun.map((sendable) => send(gateway, sendable)));
  const refused = (): number =>
    submittersWith((submission) => submission.replies.at(-1)?.says === STORE_UNREADABLE);
  await expect.poll(refused).toBe(SUBMITTERS);
  await expect.poll(() => load.lookups.length).toBeGreaterThan(before + 5);
  expect((await replies).map(({ says }) => says)).toEqual(begun.map(() => STORE_UNREADABLE));
  const bodies = new Set(begun.map(({ body }) => textOf(body)));
  expect(arrivals().filter(({ body }) => bodies.has(body))).toEqual([]);
  return begun;
}

describe.each<readonly [string, () => unknown, () => unknown]>([
  ["is stopped and started", () => server.stop(), () => server.start()],
  ["hangs and continues", () => server.pause(), () => server.resume()],
  ["is killed and recovers", () => server.kill(), () => server.start()],
])("a database server that %s under load", (_, breakIt, mendIt) => {
  it("no submission is lost or sent twice when the database server fails, and the gateway continues without an operator", async () => {
    await breakUnderLoad(breakIt);
    const refused = await goOnBroken();
    const before = load.submissions.length;
    await mendIt();
    const since = (): number =>
      load.submissions.slice(before).filter(({ answer }) => answer !== null).length;
    await expect.poll(since).toBeGreaterThan(SUBMITTERS);
    await load.finish();

    const { lookups, submissions } = load;
    expect(new Set(lookups)).toEqual(new Set(["200"]));
    const replies = submissions.map((submission) => submission.replies.map(({ says }) => says));
    const unknown = replies.filter((said) => said.includes(OUTCOME_UNKNOWN));
    expect(unknown.length).toBeGreaterThanOrEqual(SUBMITTERS / 2);
    const arrivedWhenRefused = submissions.flatMap((submission) => submission.arrivedWhenRefused);
    expect(arrivedWhenRefused.filter((count) => count > 0)).toEqual([]);

    const arrived = Map.groupBy(arrivals(), ({ body }) => body);
    for (const submission of submissions) {
      const [first, ...again] = arrived.get(textOf(submission.body)) ?? [];
      expect(again).toEqual([]);
      const { answer } = submission;
      expect(answer?.location).toBe(`/submissions/${first?.submissionId}`);
      expect(await send(gateway, submission)).toEqual({ ...answer, replayed: true });
      expect(await stateOf(gateway, first?.submissionId ?? "")).toBe("succeeded");
    }
    expect(arrivals()).toHaveLength(submissions.length);
    for (const sendable of refused) expect((await send(gateway, sendable)).says).toBe("201");
    expect(arrivals()).toHaveLength(submissions.length + refused.length);
  });
});
