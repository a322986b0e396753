import { randomUUID } from "node:crypto";
import type { FaultName } from "@insurance-gateway/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { type FaultyGateway, startFaultyGateway } from "../harness/faulty-gateway.ts";
import { problemIn } from "../harness/problem.ts";
import { newSendable, OUTCOME_UNKNOWN, send, stateOf } from "../harness/store-calls.ts";

const REJECTED = "422 PROVIDER_REJECTED rejected never";
const UNUSABLE = "502 PROVIDER_BAD_RESPONSE executed never";

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
  it.each<[what: string, FaultName | null, first: string, again: string, sent: number]>([
    ["the insurer accepted the submission", null, "201", "201 again", 1],
    ["the insurer refused the submission", "rejected", REJECTED, `${REJECTED} again`, 1],
    ["the insurer was too busy", "busy", "503 PROVIDER_UNAVAILABLE rejected safe", "201", 2],
    ["nothing was sent", "refuse", "502 PROVIDER_UNREACHABLE not_sent safe", "201", 1],
    [
      "the insurer acted, and its answer was not usable",
      "named-but-undeclared",
      UNUSABLE,
      `${UNUSABLE} again`,
      1,
    ],
    ["the answer was lost", "execute-then-reset", OUTCOME_UNKNOWN, OUTCOME_UNKNOWN, 1],
    ["the answer came too late", "silence", OUTCOME_UNKNOWN, OUTCOME_UNKNOWN, 1],
  ])(
    "the gateway sends or answers a repeated request as the result of the first request requires: %s",
    async (_, fault, first, again, sent) => {
      await gateway.insurer.behave(fault);
      const sendable = newSendable();
      const answers = [await send(gateway, sendable)];
      await gateway.insurer.behave(null);
      answers.push(await send(gateway, sendable));
      expect(answers.map(({ replayed, says }) => `${says}${replayed ? " again" : ""}`)).toEqual([
        first,
        again,
      ]);
      expect(arrivalsOf(sendable.body)).toBe(sent);
    },
  );

  it("the gateway's answer has the insurer's identifier and the submission's address if the insurer acted, and its answer was unusable", async () => {
    await gateway.insurer.behave("named-but-undeclared");
    const { insurerId, reconciliation } = Object(await problemIn(await submit(applicationBody())));
    expect(insurerId).toBe(gateway.records.at(-1)?.id);
    const status = await ask(reconciliation.href);
    expect(await status.json()).toMatchObject({ state: "succeeded", insurerId });
  });

  it.each<[string, FaultName | null, proxyStatus: unknown]>([
    ["a success", null, null],
    ["a refusal", "rejected", expect.stringContaining("received-status=422")],
  ])(
    "the gateway answers a repeated idempotency key and body with the first answer, byte for byte, and sends nothing: %s",
    async (_, fault, proxyStatus) => {
      await gateway.insurer.behave(fault);
      const [body, key] = [applicationBody(), randomUUID()];
      const first = await submit(body, key);
      expect(first.headers.get("proxy-status")).toEqual(proxyStatus);
      expect(first.headers.get("idempotency-replayed")).toBeNull();
      const text = await first.text();
      for (const form of [key, `"${key}"`]) {
        const again = await submit(body, form);
        expect([again.status, await again.text()]).toEqual([first.status, text]);
        expect(again.headers.get("idempotency-replayed")).toBe("true");
        for (const name of ["content-type", "location", "proxy-status"])
          expect(again.headers.get(name), name).toBe(first.headers.get(name));
      }
      expect(arrivalsOf(body)).toBe(1);
    },
  );

  it("a repeated idempotency key is answered with the first answer if only the order of fields in the body differs", async () => {
    const body = applicationBody();
    const key = randomUUID();
    await submit(body, key);
    const turned = Object.fromEntries(Object.entries(body).toReversed());
    expect((await submit(turned, key)).headers.get("idempotency-replayed")).toBe("true");
    expect(arrivalsOf(body) + arrivalsOf(turned)).toBe(1);
  });

  it("an unquoted idempotency key and the same key in quotes, with escaped characters, are the same key", async () => {
    const body = applicationBody();
    const id = randomUUID();
    await submit(body, `${id}\\"`);
    const again = await submit(body, `"${id}\\\\\\""`);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(arrivalsOf(body)).toBe(1);
  });
});

it.each([
  ["with the same key", randomUUID(), true, "same_key", "2"],
  ["without the key", randomUUID(), false, "after_check", null],
  ["without a key, as the first request", undefined, false, "after_check", null],
])(
  "the gateway does not send an application again while the first request is in progress, and then answers as for the first request: a repetition %s",
  async (_, key, isKeyRepeated, retry, retryAfter) => {
    await gateway.insurer.behave("silence");
    const body = applicationBody();
    const arrival = gateway.insurer.nextArrival();
    const first = submit(body, key);
    const href = `/submissions/${(await arrival).submissionId}`;
    const repeat = (): Promise<Response> => submit(body, isKeyRepeated ? key : undefined);
    const second = await repeat();
    expect(second.headers.get("retry-after")).toBe(retryAfter);
    expect(second.headers.get("location")).toBe(isKeyRepeated ? null : href);
    expect(await problemIn(second)).toMatchObject({
      status: 409,
      code: "SUBMISSION_IN_PROGRESS",
      outcome: "unknown",
      retry,
      reconciliation: { href, endpoint: "searchApplications" },
    });
    expect((await first).status).toBe(504);
    expect(await problemIn(await repeat())).toMatchObject({ code: "OUTCOME_UNKNOWN", retry });
    expect(arrivalsOf(body)).toBe(1);
  },
);

describe("idempotency keys", () => {
  it("the gateway treats the same idempotency key of two callers as two different keys", async () => {
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

  it("the gateway replays the answer to a repeated application without an idempotency key for 24 hours, and then sends the application again", async () => {
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

  it("the gateway sends a repeated application without an idempotency key if the insurer rejected the earlier application", async () => {
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
    const left = gateway.ask("/provider-d/applications", {
      json: body,
      headers: { "idempotency-key": key },
      signal: gone.signal,
    });
    const { submissionId } = await arrival;
    gone.abort();
    await expect(left).rejects.toThrow(/abort/i);
    await expect.poll(() => stateOf(gateway, submissionId ?? "")).not.toBe("in_flight");
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
