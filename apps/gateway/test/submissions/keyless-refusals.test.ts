import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { SubmissionRecord } from "../../src/store/record.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { type ProblemBody, problemIn } from "../harness/problem.ts";

const NOT_COMPARED = "This says nothing about earlier requests with the same content.";

let gateway: GatewayInProcess;
let insurer: Insurer;
let storeFault: Error | null = null;
let isAnswerDamaged = false;

beforeAll(async () => {
  const applications = createApplicationsInsurer();
  insurer = await startInsurer((response, arrival) => {
    const { body, status } = applications.execute({ ...arrival, query: "" });
    json(status, body ?? "")(response, arrival);
  });
  const configuration = {
    providers: [
      { ...insurerConfiguration("d", insurer.baseUrl), callerLimit: { requests: 20 } },
      insurerConfiguration("e", insurer.baseUrl),
    ],
  };
  const folder = makeGatewayFolder(configuration);
  const file = join(folder.path, "data", "submissions.sqlite");
  gateway = await startInProcess(
    configuration,
    {},
    {
      folder,
      async openStore() {
        const store = await openSqliteStore({ file, mode: "serve" });
        const damaged = (record: SubmissionRecord): SubmissionRecord =>
          isAnswerDamaged ? { ...record, answer: new Uint8Array(200) } : record;
        return {
          ...store,
          async find(id) {
            const record = await store.find(id);
            return record && damaged(record);
          },
          async claim(...parameters) {
            if (storeFault !== null) throw storeFault;
            const claimed = await store.claim(...parameters);
            if (claimed.claimed || claimed.existing === null) return claimed;
            return { ...claimed, existing: damaged(claimed.existing) };
          },
        };
      },
    },
  );
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

const body = applicationBody();

/** Sends the application without a key, as the caller `subject`. */
async function submit(
  headers: Readonly<Record<string, string>> = {},
  content: object = body,
  subject = "tester",
): Promise<Response> {
  const token = await gateway.tokenFor(subject);
  return submitApplication({ address: gateway.address, token }, content, headers);
}

async function refused(answer: Promise<Response>): Promise<ProblemBody> {
  return problemIn(await answer);
}

it("the gateway reports `unknown` for a repeated submission without an idempotency key while the store cannot be read", async () => {
  expect((await submit()).status).toBe(201);
  for (const fault of [
    new StoreUnavailableError("SQLITE_FULL", false),
    new StoreUnavailableError("connection lost", true),
  ]) {
    storeFault = fault;
    const answer = await submit();
    expect(answer.headers.get("retry-after")).toBeNull();
    const problem = await problemIn(answer);
    expect(problem).toMatchObject({
      status: 503,
      code: "STORE_UNAVAILABLE",
      outcome: "unknown",
      retry: "after_check",
      reconciliation: { endpoint: "searchApplications" },
    });
    expect(problem.detail).toContain("an earlier request with the same content");
  }
  storeFault = new TypeError("a fault of the gateway");
  expect(await refused(submit())).toMatchObject({
    code: "INTERNAL_ERROR",
    outcome: "unknown",
    retry: "after_check",
  });
  storeFault = null;
  const again = await submit();
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  expect(insurer.arrivals).toHaveLength(1);
});

it("the gateway reports `unknown` for a repeated submission without an idempotency key if the stored answer is damaged", async () => {
  const other = applicationBody();
  const first = await submit({}, other);
  expect(first.status).toBe(201);
  isAnswerDamaged = true;
  const answer = await submit({}, other);
  const headers = { authorization: `Bearer ${await gateway.tokenFor("tester")}` };
  const status = await fetch(gateway.address + first.headers.get("location"), { headers });
  isAnswerDamaged = false;
  expect(await problemIn(status)).toMatchObject({
    code: "INTERNAL_ERROR",
    outcome: "unknown",
    retry: "safe",
  });
  expect(await problemIn(answer)).toMatchObject({
    status: 500,
    code: "INTERNAL_ERROR",
    outcome: "unknown",
    retry: "after_check",
  });
  expect((await submit({}, other)).headers.get("idempotency-replayed")).toBe("true");
});

it("the refusal of an invalid submission without an idempotency key warns that earlier, equal requests may have been sent", async () => {
  const refusals = {
    UNAUTHENTICATED: refused(submit({ authorization: "Bearer none" })),
    NOT_ACCEPTABLE: refused(submit({ accept: "text/html" })),
    UNSUPPORTED_MEDIA_TYPE: refused(submit({ "content-type": "text/plain" })),
    VALIDATION_FAILED: refused(submit({}, { ...body, more: 1 })),
    PAYLOAD_TOO_LARGE: refused(submit({}, { ...body, more: "x".repeat(70_000) })),
  };
  for (const [code, problem] of Object.entries(refusals))
    expect([code, await problem]).toEqual([
      code,
      expect.objectContaining({
        code,
        outcome: "not_sent",
        detail: expect.stringContaining(NOT_COMPARED),
      }),
    ]);
});

it("a refusal by the caller's rate limit warns that earlier requests with the same content may have been sent", async () => {
  const all = await Promise.all(
    Array.from({ length: 21 }, () => submit({ "content-type": "text/plain" }, body, "eager")),
  );
  const limited = all.find(({ status }) => status === 429);
  if (limited === undefined) expect.fail("No request was limited");
  const { detail, outcome, retry } = await problemIn(limited);
  expect({ outcome, retry }).toEqual({ outcome: "not_sent", retry: "safe" });
  expect(detail).toContain(NOT_COMPARED);
});

it("a refusal does not mention equal content if the call changes nothing or has an idempotency key", async () => {
  const headers = { authorization: `Bearer ${gateway.token}`, "content-type": "text/plain" };
  const quote = `${gateway.address}/provider-e/life/core/fast-pension-quote`;
  const search = `${gateway.address}/provider-d/applications/search`;
  const problems = [
    await refused(fetch(quote, { method: "POST", headers, body: "{}" })),
    await refused(fetch(search, { headers })),
    await refused(submit({ "idempotency-key": "k-1", accept: "text/html" })),
    await refused(submit({ "idempotency-key": "k-1", authorization: "Bearer none" })),
  ];
  expect(problems.map(({ status }) => status)).toEqual([415, 400, 406, 401]);
  for (const { detail } of problems) expect(detail).not.toContain("same content");
});
