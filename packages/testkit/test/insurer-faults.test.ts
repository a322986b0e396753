import { describe, expect, it } from "vitest";
import { type FaultName, insurerFaults } from "../src/index.ts";
import { failureOf, openTransport, submit, textOf } from "./harness/calls.ts";
import { startInsurer } from "./harness/started-insurer.ts";

/** The result of the gateway's transport: a complete answer, an answer whose body fails, or no answer. */
type Seen =
  | { readonly status: number; readonly headers: object; readonly body: unknown }
  | { readonly status: number; readonly bodyFails: string | null }
  | { readonly fails: string | null };

/** Faults that end the request without the caller's action. */
type EndingFault = Exclude<
  FaultName,
  "refuse" | "accept-and-reset" | "keep-alive-closed" | Hanging
>;
type Hanging = "silence" | "late-answer" | "slow-drip";

const JSON_TYPE = { "content-type": "application/json" };
const HTML = { "content-type": "text/html" };
const PROBLEM = { "content-type": "application/problem+json" };
const RETRY = { "retry-after": "7" };

function bare(status: number, headers: object = {}): Seen {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: "{}" };
}

function problem(status: number, code: string, headers: object = {}): Seen {
  const body = JSON.stringify({ code, status });
  return { status, headers: { ...PROBLEM, ...headers }, body };
}

function page(status: number, title: string, headers: object = {}): Seen {
  return { status, headers: { ...HTML, ...headers }, body: expect.stringContaining(title) };
}

const seen: Readonly<Record<EndingFault, Seen>> = {
  "reset-after-request": { fails: "ECONNRESET" },
  "execute-then-reset": { fails: "ECONNRESET" },
  "reset-within-headers": { fails: "ECONNRESET" },
  "half-body": { status: 201, bodyFails: "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" },
  "wrong-length": { status: 201, bodyFails: "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" },
  "chunked-cut": { status: 201, bodyFails: null },
  "garbage-success": { status: 201, headers: JSON_TYPE, body: '{"lines":[1,2' },
  "undeclared-success": { status: 201, headers: JSON_TYPE, body: '{"lines":3}' },
  "named-but-undeclared": {
    status: 201,
    headers: JSON_TYPE,
    body: '{"applicationId":"A-1","extra":true}',
  },
  "html-success": page(200, "Welcome"),
  "not-a-pdf": {
    status: 200,
    headers: { "content-type": "application/pdf" },
    body: expect.not.stringMatching(/^%PDF-/),
  },
  redirect: bare(302, { location: "/elsewhere" }),
  unauthorized: bare(401),
  forbidden: bare(403),
  "not-found": bare(404),
  conflict: bare(409),
  unprocessable: bare(422),
  rejected: problem(422, "PROVIDER_REJECTED"),
  duplicate: problem(409, "DUPLICATE_APPLICATION"),
  "broker-limit": problem(422, "BROKER_LIMIT_EXCEEDED"),
  busy: problem(429, "RATE_LIMITED", RETRY),
  "bare-429": bare(429, RETRY),
  "server-error": bare(500),
  "html-error": page(502, "502 Bad Gateway"),
  "execute-then-504": page(504, "504 Gateway Time-out"),
  unavailable: problem(503, "PROVIDER_UNAVAILABLE", RETRY),
  "bare-503": page(503, "503 Service Unavailable", RETRY),
};

// Object.entries loses the type of the names.
const cases = Object.entries(seen) as [EndingFault, Seen][];

describe("faults as the gateway's transport reports them", () => {
  it.each(cases)(
    "the gateway's transport reports the failure or answer that this fault of the test insurer must cause: %s",
    async (fault, expected) => {
      const insurer = await startInsurer();
      await insurer.behave(fault);
      const sending = submit(insurer.baseUrl);
      if ("fails" in expected)
        expect(await failureOf(sending)).toMatchObject({
          phase: "wait",
          reason: "failed",
          detail: expected.fails,
        });
      else {
        const response = await sending;
        expect(response.status).toBe(expected.status);
        if ("bodyFails" in expected)
          expect(await failureOf(textOf(response))).toMatchObject({
            phase: "body",
            reason: "failed",
            detail: expected.bodyFails,
          });
        else {
          expect(response.headers).toMatchObject({ ...expected.headers, connection: "close" });
          expect(await textOf(response)).toEqual(expected.body);
        }
      }
      expect(insurer.arrivals().map(({ path, submissionId }) => [path, submissionId])).toEqual([
        ["/applications", "R-1"],
      ]);
      expect(insurer.executed).toEqual(insurerFaults[fault].executes ? [1] : []);
    },
  );
});

describe("redirects", () => {
  it("the test insurer records a followed redirect as a separate request", async () => {
    const insurer = await startInsurer();
    insurer.script("redirect");
    expect((await fetch(`${insurer.baseUrl}/quotes`)).url).toBe(`${insurer.baseUrl}/elsewhere`);
    expect(insurer.arrivals().map(({ path }) => path)).toEqual(["/quotes", "/elsewhere"]);
  });
});

describe("faults that never end the request", () => {
  it.each<Hanging>(["silence", "late-answer", "slow-drip"])(
    "a request waits until the caller aborts the request if the test insurer has the fault %s",
    async (fault) => {
      const insurer = await startInsurer();
      await insurer.behave(fault);
      const deadline = new AbortController();
      const arrived = insurer.nextArrival();
      const failure = failureOf(submit(insurer.baseUrl, { signal: deadline.signal }));
      await arrived;
      // When another caller has its answer, an immediate answer to the first caller would have arrived, too.
      insurer.script(null);
      await textOf(await submit(insurer.baseUrl));
      deadline.abort();
      expect(await failure).toMatchObject({ phase: "wait", reason: "cancelled" });
      expect(insurer.executed).toEqual(insurerFaults[fault].executes ? [1, 2] : [2]);
    },
  );
});

describe("connection faults", () => {
  it("the test insurer's fault `refuse` rejects connections, so that no request is sent until the next instruction", async () => {
    const insurer = await startInsurer();
    const transport = openTransport();
    await textOf(await submit(insurer.baseUrl, {}, transport));
    await insurer.behave("refuse");
    expect(await failureOf(submit(insurer.baseUrl, {}, transport))).toMatchObject({
      phase: "connect",
      reason: "failed",
      detail: "ECONNREFUSED",
    });
    expect(insurer.arrivals()).toHaveLength(1);
    await insurer.behave(null);
    expect((await submit(insurer.baseUrl, {}, transport)).status).toBe(201);
    expect(insurer.executed).toEqual([1, 2]);
  });

  it("the test insurer's fault `refuse` closes open connections whose caller waits for an answer", async () => {
    const insurer = await startInsurer();
    await insurer.behave("silence");
    const arrived = insurer.nextArrival();
    const failure = failureOf(submit(insurer.baseUrl));
    await arrived;
    await insurer.behave("refuse");
    expect(await failure).toMatchObject({ phase: "wait", reason: "failed" });
  });

  it("the test insurer's fault `accept-and-reset` resets the connection before the test insurer records the request", async () => {
    const insurer = await startInsurer();
    await insurer.behave("accept-and-reset");
    expect(await failureOf(submit(insurer.baseUrl))).toMatchObject({
      phase: "wait",
      reason: "failed",
      detail: "ECONNRESET",
    });
    expect(insurer.arrivals()).toEqual([]);
    expect(insurer.executed).toEqual([]);
  });

  it("the test insurer's fault `keep-alive-closed` resets a connection at the second request, which the test insurer does not record", async () => {
    const insurer = await startInsurer();
    const transport = openTransport({ connections: 1 });
    await insurer.behave("keep-alive-closed");
    const first = await submit(insurer.baseUrl, {}, transport);
    expect(first.status).toBe(201);
    await textOf(first);
    expect(await failureOf(submit(insurer.baseUrl, {}, transport))).toMatchObject({
      phase: "wait",
      reason: "failed",
      detail: "ECONNRESET",
    });
    expect(insurer.arrivals()).toHaveLength(1);
    expect((await submit(insurer.baseUrl, {}, transport)).status).toBe(201);
    expect(insurer.executed).toEqual([1, 2]);
  });
});
