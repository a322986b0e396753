import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { type FaultyGateway, startFaultyGateway } from "../harness/faulty-gateway.ts";
import { problemIn } from "../harness/problem.ts";

let gateway: FaultyGateway;

beforeAll(async () => {
  gateway = await startFaultyGateway();
});
afterEach(() => gateway.insurer.behave(null));
afterAll(() => gateway.stop());

const chosen = (): string => randomUUID();
const generated = (): string => `"${randomUUID()}";generated`;

function submit(
  body: object,
  key?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return submitApplication(gateway, body, {
    ...headers,
    ...(key === undefined ? {} : { "idempotency-key": key }),
  });
}

/** Returns how often the insurer received a request with the given body. */
function arrivalsOf(body: object): number {
  const text = JSON.stringify(body);
  return gateway.insurer.arrivals().filter((arrival) => arrival.body === text).length;
}

function ask(query: string, key?: string, token = gateway.token): Promise<Response> {
  return fetch(`${gateway.address}/submissions${query}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
  });
}

const OURS = "?segment=provider-d&endpoint=createApplication";

describe("equal submissions with generated keys", () => {
  const k1 = generated();
  const k2 = generated();
  const unmarked = (key: string): string => key.slice(1, key.lastIndexOf('"'));

  it.each<[string, readonly (string | undefined)[], number]>([
    ["two generated keys", [k1, k2], 1],
    ["no key, then a generated key", [undefined, k1], 1],
    ["a generated key, then no key", [k1, undefined], 1],
    ["two generated keys, then the second key as a chosen key", [k1, k2, unmarked(k2)], 1],
    ["two generated keys, then the first key as a chosen key", [k1, k2, unmarked(k1)], 1],
    ["a generated key, then a chosen key", [k1, "c1"], 1],
    ["a chosen key, then a generated key", ["c1", k1], 1],
    ["a generated key, then a chosen key, then a generated key", [k1, "c1", k2], 1],
    ["a generated key, then two chosen keys", [k1, "c1", "c2"], 2],
    ["two chosen keys", ["c1", "c2"], 2],
  ])(
    "two requests with equal content create two applications only if the requests have different chosen keys: %s",
    async (_, keys, applications) => {
      const body = applicationBody();
      // All keys of a row of the table end with the row's id, so that no two rows have the same key.
      const row = randomUUID();
      const own = (key: string): string =>
        key.replace(/[\w-]{2,}(?="?)/, (name) => `${name}-${row}`);
      for (const key of keys) expect((await submit(body, key && own(key))).status).toBe(201);
      expect(arrivalsOf(body)).toBe(applications);
    },
  );

  it("a request with a second generated key is not sent, and gets the outcome `unknown` of the earlier, equal request", async () => {
    await gateway.insurer.behave("reset-after-request");
    const body = applicationBody();
    const [first, second] = [generated(), generated()];
    expect((await submit(body, first)).status).toBe(504);
    const again = await submit(body, second);
    expect(again.status).toBe(504);
    expect(await problemIn(again)).toMatchObject({ code: "OUTCOME_UNKNOWN", retry: "same_key" });
    expect(again.headers.get("retry-after")).not.toBeNull();
    expect(arrivalsOf(body)).toBe(1);
  });

  it("a request with a used generated key is answered from the stored submission even after 24 hours", async () => {
    const body = applicationBody();
    const [first, second] = [generated(), generated()];
    const { headers } = await submit(body, first);
    await submit(body, second);
    await gateway.time.pass(25 * 3_600_000);
    for (const key of [first, second, unmarked(second)]) {
      const again = await submit(body, key);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.headers.get("location")).toBe(headers.get("location"));
    }
    expect(arrivalsOf(body)).toBe(1);
    // A third generated key is a new submission, because the gateway compares the content for only 24 hours.
    expect((await submit(body, generated())).headers.get("idempotency-replayed")).toBeNull();
  });

  it("the gateway sends a repeated request with the same generated key if the first request was not sent", async () => {
    const body = applicationBody();
    await gateway.insurer.behave("refuse");
    const key = generated();
    expect(await problemIn(await submit(body, key))).toMatchObject({ outcome: "not_sent" });
    await gateway.insurer.behave(null);
    expect((await submit(body, key)).status).toBe(201);
  });
});

describe("requests with `Prefer: wait`", () => {
  let patient: FaultyGateway;
  beforeAll(async () => {
    patient = await startFaultyGateway({}, {}, 30_000);
  });
  afterAll(() => patient.stop());

  it("the gateway answers 504 with the submission's address after the caller's preferred wait, and completes the submission", async () => {
    const release = patient.holdAnswers();
    const body = applicationBody();
    const headers = { "idempotency-key": chosen() };
    const answer = await submitApplication(patient, body, {
      ...headers,
      prefer: "respond-async, wait=1",
    });
    expect(answer.status).toBe(504);
    expect(answer.headers.get("preference-applied")).toBe("wait");
    const problem = await problemIn(answer);
    expect(problem).toMatchObject({
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
      retry: "same_key",
    });
    expect(problem).toMatchObject({
      reconciliation: { href: expect.stringMatching(/^\/submissions\/[0-9a-f-]{36}$/) },
    });
    release();
    await expect
      .poll(async () => (await submitApplication(patient, body, headers)).status)
      .toBe(201);
    expect(patient.insurer.arrivals()).toHaveLength(1);
  });

  it.each(["wait=0", "wait=46", "wait=x", "wait", "handling=strict"])(
    "the gateway waits as usual if `Prefer` has no wait of 1 to 45 seconds: %s",
    async (prefer) => {
      const answer = await submit(applicationBody(), chosen(), { prefer });
      expect(answer.status).toBe(201);
      expect(answer.headers.get("preference-applied")).toBeNull();
    },
  );
});

describe("queries for an idempotency key", () => {
  it.each(["createApplication", "POST /applications"])(
    "a query for an idempotency key returns the key's submission if the query names the endpoint %s",
    async (endpoint) => {
      const body = applicationBody();
      const key = chosen();
      const { headers } = await submit(body, key);
      const query = new URLSearchParams({ segment: "provider-d", endpoint });
      for (const form of [key, `"${key}"`, `"${key}";generated`]) {
        const status = await ask(`?${query.toString()}`, form);
        expect(status.status).toBe(200);
        expect(await status.json()).toMatchObject({
          submissionId: headers.get("location")?.split("/").at(-1),
          state: "succeeded",
        });
      }
    },
  );

  it("the gateway answers 404 to a query for an idempotency key that was not used, or that another caller used", async () => {
    const key = chosen();
    const arrived = gateway.insurer.arrivals().length;
    const unused = await ask(OURS, key);
    expect(unused.status).toBe(404);
    expect(await problemIn(unused)).toMatchObject({ code: "SUBMISSION_NOT_FOUND" });
    expect(gateway.insurer.arrivals()).toHaveLength(arrived);
    await submit(applicationBody(), key);
    const other = await gateway.tokenFor("another broker");
    expect((await ask(OURS, key, other)).status).toBe(404);
  });

  it.each([
    ["", "k", ["/query/segment", "/query/endpoint"]],
    [`${OURS}&start=1`, "k", ["/query"]],
    [`${OURS}&segment=x`, "k", ["/query/segment"]],
    [OURS, undefined, ["/headers/idempotency-key"]],
    ["?segment=provider-d&endpoint=searchApplications", "k", ["/query/endpoint"]],
    ["?segment=other&endpoint=createApplication", "k", ["/query/endpoint"]],
  ])(
    "the gateway refuses an incomplete query for an idempotency key, and a query with an unknown endpoint: %s with the key %s",
    async (query, key, pointers) => {
      const refused = await ask(query, key);
      expect(refused.status).toBe(400);
      expect((await problemIn(refused)).errors?.map(({ pointer }) => pointer)).toEqual(pointers);
    },
  );
});
