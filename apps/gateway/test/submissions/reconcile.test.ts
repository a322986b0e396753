import { randomUUID } from "node:crypto";
import type { SubmissionState } from "@insurance-gateway/core/runtime";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openSubmissionKeys } from "../../src/configuration/submission-store.ts";
import { createEncryption } from "../../src/store/encryption.ts";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { NewSubmission } from "../../src/store/record.ts";
import { encryptMatchFields } from "../../src/submissions/match.ts";
import { submitApplication } from "../harness/applications.ts";
import { momentAt, ONCE, sampleSubmission } from "../harness/store-samples.ts";
import { type ListingGateway, startListingGateway } from "./listing-gateway.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let gateway: ListingGateway;
beforeAll(async () => {
  gateway = await startListingGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.list = [];
});

function idIn(address: string): string {
  return address.split("/").at(-1) ?? "";
}

/** Returns the log lines about a submission. */
function logged(id: string): readonly unknown[] {
  return gateway.log.map((line) => JSON.parse(line)).filter((line) => line.submissionId === id);
}

/** Returns an item of the customer for another vehicle. */
function otherVehicle(body: object): object {
  return { ...gateway.listed(body), vehicle: { plateNumber: "XXX-9999" } };
}

/** Advances the time to each planned query, until two queries have proved that the insurer has no application. */
async function proveAbsence(): Promise<void> {
  for (const wait of [2 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE]) await gateway.pass(wait);
}

describe("the result of a query", () => {
  it("the gateway sends the submission's id with the query, stores the found application as the submission's answer, and logs the success", async () => {
    const { address, body } = await gateway.submitInVain();
    const application = gateway.listed(body);
    gateway.list = [application];
    await gateway.pass(2 * SECOND);
    expect(gateway.insurer.arrivals.at(-1)).toMatchObject({
      method: "GET",
      headers: { "x-request-id": idIn(address) },
    });
    expect(await (await gateway.ask(address)).json()).toMatchObject({
      state: "succeeded",
      insurerId: Reflect.get(application, "applicationId"),
    });
    const answer = await submitApplication(gateway, body);
    expect([answer.status, await answer.json()]).toEqual([201, application]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-type": "application/json; charset=utf-8",
      location: address,
    });
    expect(logged(idIn(address)).at(-1)).toMatchObject({
      level: 30,
      caller: expect.any(String),
      state: "succeeded",
      msg: "reconciliation concluded a submission",
    });
  });

  it("the gateway marks a submission that two queries do not find as failed, and logs the failure", async () => {
    const unknownSince = new Date(gateway.time.now()).toISOString();
    const { address } = await gateway.submitInVain();
    await proveAbsence();
    expect(await (await gateway.ask(address)).json()).toMatchObject({
      state: "failed",
      insurerId: null,
      answer: {
        status: 422,
        body: {
          code: "PROVIDER_REJECTED",
          outcome: "rejected",
          detail: `The insurer did not accept the submission: its outcome was unknown since ${unknownSince}, and the insurer's list did not contain it in two queries after the settle time. You may submit it again, with a new Idempotency-Key if it had one.`,
        },
      },
    });
    expect(logged(idIn(address)).at(-1)).toMatchObject({ level: 30, state: "failed" });
  });

  it("the gateway begins the proof of a submission's absence again if a query finds an item that may be the submission", async () => {
    const { address, body } = await gateway.submitInVain();
    for (const wait of [2 * SECOND, 30 * SECOND, 2 * MINUTE]) await gateway.pass(wait);
    gateway.list = [otherVehicle(body)];
    await gateway.pass(10 * MINUTE);
    gateway.list = [];
    await gateway.pass(HOUR);
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
    await gateway.pass(5 * MINUTE);
    expect(await gateway.stateOf(address)).toBe("failed");
  });

  it.each<[string, boolean, SubmissionState]>([
    ["corrects the failure if the list has the application", true, "succeeded"],
    ["deletes the match fields if the list is still empty", false, "failed"],
  ])(
    "the query seven hours after a submission's outcome became unknown %s",
    async (_, isListed, state) => {
      const { address, body } = await gateway.submitInVain();
      await proveAbsence();
      expect(await gateway.stateOf(address)).toBe("failed");
      gateway.list = isListed ? [gateway.listed(body, 12 * MINUTE)] : [];
      await gateway.pass(7 * HOUR - 13 * MINUTE);
      expect(await gateway.stateOf(address), "before the query").toBe("failed");
      await gateway.pass(13 * MINUTE);
      const record = await gateway.store.find(idIn(address));
      expect(record).toMatchObject({ state, matchFields: null, nextQueryAt: null });
      const resolutions = await gateway.store.resolutions(idIn(address));
      expect(resolutions.map(({ to }) => to)).toEqual(isListed ? ["succeeded"] : []);
    },
  );
});

/** Returns match fields without a query, as the gateway stores the match fields for an endpoint without a query. */
async function fieldsWithoutQuery(): Promise<Partial<NewSubmission>> {
  const keys = await openSubmissionKeys(gateway.configuration(), {}, "beside");
  const encryption = createEncryption(keys);
  const { keyId } = encryption;
  const id = randomUUID();
  const fields = { same: {}, sent: { params: {}, query: {} } };
  return { id, matchFields: encryptMatchFields(encryption, id, fields), keyId };
}

it.each<[string, () => Partial<NewSubmission> | Promise<Partial<NewSubmission>>]>([
  ["the endpoint is not served any more", () => ({ endpoint: "renewApplication" })],
  ["the endpoint has no query", () => ({ endpoint: "searchApplications" })],
  ["the submission has no match fields", () => ({ matchFields: null })],
  ["the submission is a change", () => ({ creates: false })],
  ["the endpoint had no query when the submission was stored", fieldsWithoutQuery],
])(
  "a submission that another version of the provider package stored needs review at once, without a query, if %s",
  async (_, more) => {
    const now = gateway.time.now();
    const submission = sampleSubmission({
      segment: "provider-d",
      receivedAt: now,
      receivedRunning: now,
      ...(await more()),
    });
    const { id } = submission;
    await gateway.store.claim(submission, ONCE);
    await gateway.store.markUnknown(id, momentAt(now), now);
    const before = gateway.insurer.arrivals.length;
    await gateway.pass(0);
    expect(await gateway.store.find(id)).toMatchObject({
      state: "needs_review",
      nextQueryAt: null,
    });
    expect(gateway.insurer.arrivals).toHaveLength(before);
    expect(logged(id)).toMatchObject([
      { level: 50, caller: expect.any(String), msg: "a submission needs manual review" },
    ]);
  },
);

it.each(["similarSubmissions", "planNextQuery"] as const)(
  "a query proves nothing and is repeated after five seconds if the store is unavailable during the query: %s",
  async (method) => {
    const { address, body } = await gateway.submitInVain();
    const { store } = gateway;
    const original = store[method];
    const fault = new StoreUnavailableError("ECONNREFUSED", false);
    const restore = (): void => void Object.assign(store, { [method]: original });
    onTestFinished(restore);
    Object.assign(store, { [method]: () => Promise.reject(fault) });
    gateway.list = [otherVehicle(body)];
    await expect(gateway.pass(2 * SECOND)).resolves.toBeUndefined();
    restore();
    expect(gateway.log.map((line) => JSON.parse(line)).at(-1)).toMatchObject({
      level: 50,
      task: "reconciliation of provider-d",
      failure: "ECONNREFUSED",
    });
    gateway.list = [gateway.listed(body)];
    await gateway.pass(5 * SECOND);
    expect(await gateway.stateOf(address)).toBe("succeeded");
  },
);
