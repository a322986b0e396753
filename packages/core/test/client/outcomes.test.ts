import { describe, expect, it, onTestFinished, vi } from "vitest";
import { GatewayError, OutcomeUnknownError, type Problem } from "../../src/index.ts";
import { TransportError } from "../../src/transport/index.ts";
import { connect } from "../harness/connect.ts";
import { createPolicy, issuedPolicy, policyBody } from "../harness/declarations.ts";
import { failingTransport } from "../harness/failing-transport.ts";
import { failureOf } from "../harness/failure.ts";
import { holdTime } from "../harness/held-time.ts";
import { json, problem, reset } from "../harness/replies.ts";
import { type Reply, type ScriptedServer, scriptedServer } from "../harness/scripted-server.ts";
import { secondCopy } from "../harness/second-copy.ts";
import { signalOfWait } from "../harness/signal-of-wait.ts";

const now = { "retry-after": "0" };
const issued = json(issuedPolicy, 201);
const refused = new TransportError("connect", "failed", "ECONNREFUSED");
const input = { body: policyBody, idempotencyKey: "key-1" };

const inProgress = {
  status: 409,
  code: "SUBMISSION_IN_PROGRESS",
  outcome: "unknown",
  retry: "same_key",
  reconciliation: { href: "/submissions/S-1" },
} as const;

const unknown = {
  status: 504,
  code: "OUTCOME_UNKNOWN",
  outcome: "unknown",
  retry: "same_key",
  reconciliation: { href: "/insurance/submissions/S-1" },
} as const;

const tooMany = { status: 429, code: "RATE_LIMITED", outcome: "not_sent", retry: "safe" } as const;

/** The reconciliation search that `createPolicy` declares. */
const declaredLookup = {
  endpoint: "searchPolicies",
  parameters: { clientAfm: { from: "/holder/afm" } },
};

function keysOf(server: ScriptedServer): readonly unknown[] {
  return server.arrivals.map(({ headers }) => headers["idempotency-key"]);
}

describe("submissions sent again", () => {
  it.each<[string, Partial<Problem>]>([
    ["the earlier attempt is still running", inProgress],
    ["the gateway will soon query the insurer about the unknown outcome", unknown],
    ["a limit of the gateway was reached", tooMany],
  ])("the client sends a submission again with the same key if %s", async (_, parts) => {
    const server = await scriptedServer(problem(parts, now), problem(parts, now), issued);
    const call = connect(server.address).call(createPolicy, { body: policyBody });
    const { data, response } = await call.withResponse();
    expect(data).toEqual(issuedPolicy);
    expect(new Set(keysOf(server))).toEqual(new Set([`"${response.idempotencyKey}";generated`]));
    expect(server.arrivals).toHaveLength(3);
  });

  it("the client waits exactly as long as the gateway requires before it sends a submission again with the same key", async () => {
    holdTime();
    const server = await scriptedServer(problem(inProgress, { "retry-after": "20" }), issued);
    const waiting = Promise.withResolvers<unknown>();
    const signal = signalOfWait(waiting.resolve);
    const answer = connect(server.address).call(createPolicy, { ...input, signal });
    await waiting.promise;
    vi.advanceTimersByTime(19_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.arrivals).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(await answer).toEqual(issuedPolicy);
    expect(keysOf(server)).toEqual(["key-1", "key-1"]);
  });

  it("the client sends a submission again with the same key if no connection was established", async () => {
    const server = await scriptedServer(issued);
    const transport = failingTransport(refused, refused);
    const gateway = connect(server.address, { transport });
    await gateway.call(createPolicy, input);
    expect(keysOf(server)).toEqual(["key-1"]);
    expect(transport.sends()).toBe(3);
  });
});

describe("submissions not sent again", () => {
  it.each<[string, Reply]>([
    ["the submission is still running and the answer has no Retry-After", problem(inProgress)],
    ["the required wait would pass the deadline", problem(unknown, { "retry-after": "61" })],
    ["the outcome is unknown and the answer has no Retry-After", problem(unknown)],
    [
      "the calling program must check the submission first",
      problem({ ...inProgress, retry: "after_check" }, now),
    ],
    ["the insurer rejected the submission", problem({ outcome: "rejected", retry: "never" }, now)],
  ])("the client does not send a submission again if %s", async (_, reply) => {
    const server = await scriptedServer(reply, issued);
    await failureOf(connect(server.address).call(createPolicy, input));
    expect(server.arrivals).toHaveLength(1);
  });

  it("the client fails at once and does not repeat a submission if the required wait would pass the deadline", async () => {
    const server = await scriptedServer(problem(unknown, { "retry-after": "19" }), issued);
    const call = connect(server.address).call(createPolicy, { ...input, timeout: 18_000 });
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ code: "OUTCOME_UNKNOWN", retryAfterSeconds: 19 });
    expect(String(failure)).toContain("Call again in 19 s with the same input");
    expect(server.arrivals).toHaveLength(1);
  });

  it("the client stops repeating a submission if the gateway requires a wait that would end after the deadline", async () => {
    const running = problem(inProgress, now);
    const server = await scriptedServer(
      running,
      running,
      running,
      problem(inProgress, { "retry-after": "61" }),
    );
    const failure = await failureOf(connect(server.address).call(createPolicy, input));
    expect(OutcomeUnknownError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({
      ...inProgress,
      idempotencyKey: "key-1",
      submissionId: "S-1",
      retryAfterSeconds: 61,
      cause: { name: "ProblemError", ...inProgress },
    });
    expect(keysOf(server)).toEqual(["key-1", "key-1", "key-1", "key-1"]);
  });
});

describe("a submission of unknown outcome", () => {
  it("the error of a submission of unknown outcome has the gateway's advice and reconciliation data", async () => {
    const server = await scriptedServer(
      problem({ ...unknown, reconciliation: { ...unknown.reconciliation, ...declaredLookup } }),
    );
    const failure = await failureOf(connect(server.address).call(createPolicy, input));
    expect(OutcomeUnknownError.isInstance(failure) && GatewayError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({
      name: "OutcomeUnknownError",
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
      retry: "same_key",
      idempotencyKey: "key-1",
      submissionId: "S-1",
      reconciliation: { ...unknown.reconciliation, ...declaredLookup },
      status: 504,
      requestId: "req-1",
      retryAfterSeconds: null,
      cause: { name: "ProblemError", code: "OUTCOME_UNKNOWN" },
    });
    expect(String(failure)).toContain(
      'Call again with the same input and the key "key-1", or ask gateway.submission("S-1"), or look for it with searchPolicies.',
    );
  });

  it("the error of a submission without an answer has the generated key and the declared search", async () => {
    const server = await scriptedServer(reset);
    const failure = await failureOf(
      connect(server.address).call(createPolicy, { body: policyBody }),
    );
    expect(failure).toMatchObject({
      name: "OutcomeUnknownError",
      code: "CONNECTION_FAILED",
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
      submissionId: null,
      reconciliation: declaredLookup,
      status: null,
      retryAfterSeconds: null,
      cause: { name: "ConnectionError", outcome: "unknown", retry: "same_key" },
    });
  });

  it("a second copy of the package `core` recognises an OutcomeUnknownError of the first copy", async () => {
    const copy = await secondCopy();
    const server = await scriptedServer(problem(unknown));
    const failure = await failureOf(connect(server.address).call(createPolicy, input));
    expect(copy.OutcomeUnknownError.isInstance(failure)).toBe(true);
    expect(failure).not.toBeInstanceOf(copy.OutcomeUnknownError);
  });
});

describe("an unknown outcome of an earlier attempt", () => {
  it.each<[string, Reply]>([
    ["a refusal because of a limit", problem({ ...tooMany, retry: "never" })],
    ["the submission is still running", problem(inProgress)],
    ["the connection is lost", reset],
  ])(
    "a submission's outcome stays `unknown` if a later attempt ends without a result: %s",
    async (_, later) => {
      const server = await scriptedServer(problem(unknown, now), later);
      expect(await failureOf(connect(server.address).call(createPolicy, input))).toMatchObject({
        name: "OutcomeUnknownError",
        idempotencyKey: "key-1",
        submissionId: "S-1",
      });
    },
  );

  it.each([
    ["a chosen key", input],
    ["a generated key", { body: policyBody }],
  ])(
    "a submission's outcome stays `unknown` if the client has no token for a later attempt: submission with %s",
    async (_, given) => {
      vi.stubEnv("GATEWAY_TOKEN", "token-1");
      onTestFinished(() => void vi.unstubAllEnvs());
      const server = await scriptedServer((response, arrival) => {
        vi.stubEnv("GATEWAY_TOKEN", "");
        problem(inProgress, now)(response, arrival);
      });
      const gateway = connect(server.address, { token: undefined });
      const failure = await failureOf(gateway.call(createPolicy, given));
      expect(failure).toMatchObject({ ...inProgress, name: "OutcomeUnknownError" });
      expect(server.arrivals).toHaveLength(1);
    },
  );

  it.each<[string, Partial<Problem>, Readonly<Record<string, string>>]>([
    ["the insurer's rejection", { outcome: "rejected", retry: "never" }, {}],
    ["proof that the insurer acted", { outcome: "executed", retry: "never" }, {}],
    [
      "a stored answer",
      { outcome: "not_sent", retry: "never" },
      { "idempotency-replayed": "true" },
    ],
  ])(
    "a later answer settles the unknown outcome of an earlier attempt: %s",
    async (_, parts, headers) => {
      const server = await scriptedServer(problem(unknown, now), problem(parts, headers));
      expect(await failureOf(connect(server.address).call(createPolicy, input))).toMatchObject({
        name: "ProblemError",
        ...parts,
      });
    },
  );

  it("a submission's outcome stays `unknown` if the calling program cancels the wait for the next attempt", async () => {
    const server = await scriptedServer(problem(unknown, { "retry-after": "19" }), issued);
    const signal = signalOfWait(queueMicrotask);
    const failure = await failureOf(
      connect(server.address).call(createPolicy, { ...input, signal }),
    );
    expect(failure).toMatchObject({
      name: "OutcomeUnknownError",
      code: "CANCELLED",
      submissionId: "S-1",
      cause: { name: "ConnectionError", code: "CANCELLED" },
    });
    expect(server.arrivals).toHaveLength(1);
  });
});
