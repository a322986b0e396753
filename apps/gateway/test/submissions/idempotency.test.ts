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

/** Returns how often the insurer received an application. */
function arrivalsOf(body: object): number {
  const text = JSON.stringify(body);
  return gateway.insurer.arrivals().filter((arrival) => arrival.body === text).length;
}

function submit(body: object, key?: string, token = gateway.token): Promise<Response> {
  const headers = key === undefined ? undefined : { "idempotency-key": key };
  return submitApplication({ address: gateway.address, token }, body, headers);
}

describe("repeated submissions with the same key", () => {
  it("the gateway answers a repeated key and body with the first answer, byte for byte, and sends nothing", async () => {
    const body = applicationBody();
    const key = randomUUID();
    const first = await submit(body, key);
    expect(first.status).toBe(201);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    const text = await first.text();
    for (const form of [key, `"${key}"`]) {
      const again = await submit(body, form);
      expect(again.status).toBe(201);
      expect(await again.text()).toBe(text);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.headers.get("location")).toBe(first.headers.get("location"));
      expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    }
    expect(arrivalsOf(body)).toBe(1);
  });

  it("a repeated key is answered with the first answer if only the order of fields in the body differs", async () => {
    const body = applicationBody();
    const key = randomUUID();
    await submit(body, key);
    const turned = Object.fromEntries(Object.entries(body).toReversed());
    expect((await submit(turned, key)).headers.get("idempotency-replayed")).toBe("true");
    expect(arrivalsOf(body) + arrivalsOf(turned)).toBe(1);
  });

  it("an unquoted key and the same key in quotes, with escaped characters, are the same key", async () => {
    const body = applicationBody();
    const id = randomUUID();
    await submit(body, `${id}\\"`);
    const again = await submit(body, `"${id}\\\\\\""`);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(arrivalsOf(body)).toBe(1);
  });

  it("the gateway answers a repeated key with the insurer's first refusal, byte for byte", async () => {
    await gateway.insurer.behave("rejected");
    const body = applicationBody();
    const key = randomUUID();
    const first = await submit(body, key);
    await gateway.insurer.behave(null);
    const again = await submit(body, key);
    expect([first.status, again.status]).toEqual([422, 422]);
    expect(await again.text()).toBe(await first.text());
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    for (const name of ["content-type", "proxy-status"])
      expect(again.headers.get(name), name).toBe(first.headers.get(name));
    expect(first.headers.get("proxy-status")).toContain("received-status=422");
    expect(arrivalsOf(body)).toBe(1);
  });

  it("the gateway answers a repeated key with `executed` and the insurer's identifier if the insurer's answer was unusable", async () => {
    await gateway.insurer.behave("named-but-undeclared");
    const body = applicationBody();
    const key = randomUUID();
    const first = await submit(body, key);
    const text = await first.text();
    expect(first.status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({
      code: "PROVIDER_BAD_RESPONSE",
      outcome: "executed",
      retry: "never",
      insurerId: gateway.records.at(-1)?.id,
    });
    expect(await (await submit(body, key)).text()).toBe(text);
    expect(arrivalsOf(body)).toBe(1);
    const status = await fetch(gateway.address + JSON.parse(text).reconciliation.href, {
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    expect(await status.json()).toMatchObject({ insurerId: gateway.records.at(-1)?.id });
  });

  it("the gateway answers a repeated key with 409 and `Retry-After` while the first request is in progress", async () => {
    await gateway.insurer.behave("silence");
    const body = applicationBody();
    const key = randomUUID();
    const arrival = gateway.insurer.nextArrival();
    const first = submit(body, key);
    const { submissionId } = await arrival;
    const second = await submit(body, key);
    expect(second.status).toBe(409);
    expect(second.headers.get("retry-after")).toBe("2");
    expect(await problemIn(second)).toMatchObject({
      code: "SUBMISSION_IN_PROGRESS",
      outcome: "unknown",
      retry: "same_key",
      reconciliation: { href: `/submissions/${submissionId}` },
    });
    expect((await first).status).toBe(504);
    const third = await submit(body, key);
    expect(third.status).toBe(504);
    expect(await problemIn(third)).toMatchObject({ code: "OUTCOME_UNKNOWN", retry: "same_key" });
    expect(arrivalsOf(body)).toBe(1);
  });

  it("the gateway sends a repeated request with the same key if the first request was not sent", async () => {
    await gateway.insurer.behave("refuse");
    const body = applicationBody();
    const key = randomUUID();
    const first = await submit(body, key);
    expect(await problemIn(first)).toMatchObject({ outcome: "not_sent", retry: "safe" });
    await gateway.insurer.behave(null);
    const again = await submit(body, key);
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotency-replayed")).toBeNull();
  });

  it("the gateway sends a repeated request with the same key if the insurer was too busy for the first request", async () => {
    await gateway.insurer.behave("busy");
    const body = applicationBody();
    const key = randomUUID();
    const first = await submit(body, key);
    expect(first.headers.get("retry-after")).toBe("7");
    expect(await problemIn(first)).toMatchObject({ outcome: "rejected", retry: "safe" });
    await gateway.insurer.behave(null);
    expect((await submit(body, key)).status).toBe(201);
  });
});

describe("idempotency keys", () => {
  it("the gateway refuses a key that was sent with another body before, and sends nothing", async () => {
    const key = randomUUID();
    await submit(applicationBody(), key);
    const other = applicationBody();
    const refused = await submit(other, key);
    expect(refused.status).toBe(422);
    expect(await problemIn(refused)).toMatchObject({
      code: "IDEMPOTENCY_KEY_REUSED",
      outcome: "not_sent",
      retry: "never",
    });
    expect(arrivalsOf(other)).toBe(0);
  });

  it("the gateway treats the same key of two callers as two different keys", async () => {
    const body = applicationBody();
    const key = randomUUID();
    const other = await gateway.tokenFor("another broker");
    const answers = [await submit(body, key), await submit(body, key, other)];
    for (const answer of answers) expect(answer.headers.get("idempotency-replayed")).toBeNull();
    expect(arrivalsOf(body)).toBe(2);
  });

  it.each([
    ["an empty text", ""],
    ["more than 255 characters", "k".repeat(256)],
    ["a character that is not printable ASCII", "clé"],
    ["a quoted string without its closing quote", '"key'],
  ])("the gateway refuses an idempotency key that is not valid: %s", async (_, key) => {
    const body = applicationBody();
    const refused = await submit(body, key);
    expect(refused.status).toBe(400);
    expect(await problemIn(refused)).toMatchObject({
      code: "INVALID_REQUEST",
      outcome: "not_sent",
    });
    expect(arrivalsOf(body)).toBe(0);
  });

  it("the gateway accepts an idempotency key of 255 characters", async () => {
    expect((await submit(applicationBody(), `${randomUUID()}${"k".repeat(219)}`)).status).toBe(201);
  });
});

describe("submissions without a key", () => {
  it("the gateway recognises a repeated application for a real insurer even if the requested sandbox scenario differs", async () => {
    const body = applicationBody();
    expect((await submit(body)).status).toBe(201);
    const again = await submitApplication(gateway, body, { "x-sandbox-scenario": "ISSUED" });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(arrivalsOf(body)).toBe(1);
  });

  it("the gateway replays the answer to a repeated application without a key for 24 hours, and then sends the application again", async () => {
    const body = applicationBody();
    const first = await submit(body);
    const again = await submit(body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    expect(await again.json()).toEqual(await first.json());
    expect(arrivalsOf(body)).toBe(1);
    await gateway.time.pass(24 * 3_600_000);
    expect((await submit(body)).headers.get("idempotency-replayed")).toBeNull();
    expect(arrivalsOf(body)).toBe(2);
  });

  it("the gateway sends a repeated application without a key if the insurer rejected the earlier application", async () => {
    const body = applicationBody();
    await gateway.insurer.behave("rejected");
    expect((await submit(body)).status).toBe(422);
    await gateway.insurer.behave(null);
    expect((await submit(body)).status).toBe(201);
    expect(arrivalsOf(body)).toBe(2);
  });

  it("the gateway adds a chosen key to an equal application that was sent without a key, and sends the application for a second key", async () => {
    const body = applicationBody();
    const first = await submit(body);
    const adopted = await submit(body, randomUUID());
    expect(adopted.headers.get("location")).toBe(first.headers.get("location"));
    expect(arrivalsOf(body)).toBe(1);
    expect((await submit(body, randomUUID())).status).toBe(201);
    expect(arrivalsOf(body)).toBe(2);
  });

  it("the gateway sends only one of six simultaneous requests with different keys and one body, and refuses five as duplicates", async () => {
    await gateway.insurer.behave("silence");
    const body = applicationBody();
    const answers = await Promise.all(Array.from({ length: 6 }, () => submit(body, randomUUID())));
    const problems = await Promise.all(answers.map(problemIn));
    expect(problems.filter(({ code }) => code === "OUTCOME_UNKNOWN")).toHaveLength(1);
    const others = problems.filter(({ code }) => code === "DUPLICATE_APPLICATION");
    expect(others).toHaveLength(5);
    for (const other of others)
      expect(other).toMatchObject({ outcome: "not_sent", retry: "after_check" });
    expect(arrivalsOf(body)).toBe(1);
  });

  it("the gateway does not send an application again while the first request is in progress, with or without a key", async () => {
    for (const key of [undefined, randomUUID()]) {
      await gateway.insurer.behave("silence");
      const body = applicationBody();
      const arrival = gateway.insurer.nextArrival();
      const first = submit(body, key);
      const { submissionId } = await arrival;
      const second = await submit(body);
      expect(second.status).toBe(409);
      expect(second.headers.get("location")).toBe(`/submissions/${submissionId}`);
      expect(await problemIn(second)).toMatchObject({
        code: "SUBMISSION_IN_PROGRESS",
        outcome: "unknown",
        retry: "after_check",
        reconciliation: { href: `/submissions/${submissionId}`, endpoint: "searchApplications" },
      });
      expect(second.headers.get("retry-after")).toBeNull();
      expect((await first).status).toBe(504);
      expect((await submit(body)).status, "while its outcome is unknown").toBe(504);
      expect(arrivalsOf(body)).toBe(1);
    }
  });

  it("the insurer receives one application if fifty equal requests arrive at once", async () => {
    await gateway.insurer.behave("silence");
    const body = applicationBody();
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => (await submit(body)).status),
    );
    // A request that arrives after the first request has timed out gets the same answer as the first request.
    expect(new Set(statuses)).toEqual(new Set([409, 504]));
    expect(arrivalsOf(body)).toBe(1);
  });
});

describe("submissions", () => {
  it("the gateway sends the insurer the same id that the submission's address contains", async () => {
    const body = applicationBody();
    const answer = await submit(body);
    const location = answer.headers.get("location");
    expect(location).toMatch(/^\/submissions\/[0-9a-f-]{36}$/);
    expect(gateway.insurer.arrivals().at(-1)?.submissionId).toBe(location?.split("/").at(-1));
  });

  it("the gateway completes and records a submission if the caller disconnects", async () => {
    await gateway.insurer.behave("slow-drip");
    const body = applicationBody();
    const key = randomUUID();
    const gone = new AbortController();
    const arrival = gateway.insurer.nextArrival();
    const left = fetch(`${gateway.address}/provider-d/applications`, {
      method: "POST",
      signal: gone.signal,
      headers: {
        authorization: `Bearer ${gateway.token}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify(body),
    });
    const { submissionId } = await arrival;
    gone.abort();
    await expect(left).rejects.toThrow(/abort/i);
    await expect
      .poll(() => stateOf(`/submissions/${submissionId}`), { timeout: 10_000 })
      .not.toBe("in_flight");
    expect((await submit(body, key)).status).toBe(504);
    expect(arrivalsOf(body)).toBe(1);
  });

  it("the gateway shows the state of a submission only to the caller who sent the submission", async () => {
    const body = applicationBody();
    const answer = await submit(body);
    const address = answer.headers.get("location") ?? "";
    const shown = await ask(address);
    expect(shown.status).toBe(200);
    expect(shown.headers.get("cache-control")).toBe("no-store");
    expect(shown.headers.get("retry-after")).toBeNull();
    expect(await shown.json()).toEqual({
      submissionId: address.split("/").at(-1),
      provider: "provider-d",
      endpoint: "createApplication",
      state: "succeeded",
      insurerId: gateway.records.at(-1)?.id,
      receivedAt: new Date(gateway.time.now()).toISOString(),
      updatedAt: new Date(gateway.time.now()).toISOString(),
      askAgainAt: null,
      answer: { status: 201, body: await answer.json() },
    });
    const other = await gateway.tokenFor("another broker");
    for (const hidden of [await ask(address, other), await ask(`/submissions/${randomUUID()}`)]) {
      expect(hidden.status).toBe(404);
      expect(await problemIn(hidden)).toMatchObject({ code: "SUBMISSION_NOT_FOUND" });
    }
  });
});

function ask(path: string, token = gateway.token): Promise<Response> {
  return fetch(gateway.address + path, { headers: { authorization: `Bearer ${token}` } });
}

async function stateOf(path: string): Promise<unknown> {
  return Reflect.get(Object(await (await ask(path)).json()), "state");
}
