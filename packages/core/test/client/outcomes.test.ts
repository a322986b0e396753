import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type CancellationSignal,
  GatewayError,
  OutcomeUnknownError,
  type Problem,
} from "../../src/index.ts";
import { TransportError } from "../../src/transport/index.ts";
import { connect } from "../harness/connect.ts";
import { createPolicy, issuedPolicy, policyBody } from "../harness/declarations.ts";
import { failingTransport } from "../harness/failing-transport.ts";
import { failureOf } from "../harness/failure.ts";
import { holdTime } from "../harness/held-time.ts";
import { json, problem, reset } from "../harness/replies.ts";
import { type Reply, type ScriptedServer, scriptedServer } from "../harness/scripted-server.ts";
import { secondCopy } from "../harness/second-copy.ts";

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

/** The client's declared way to look a policy up. */
const declaredLookup = {
  endpoint: "searchPolicies",
  parameters: { clientAfm: { from: "/holder/afm" } },
};

function keysOf(server: ScriptedServer): readonly unknown[] {
  return server.arrivals.map(({ headers }) => headers["idempotency-key"]);
}

/** A signal that reports when a call waits for another try, and with which listener it can be ended. */
function signalOfWait(waits: (listener: () => void) => void): CancellationSignal {
  let listeners = 0;
  return {
    aborted: false,
    // The transport listens first, while the request is on its way; then the call that waits for another try.
    addEventListener: (_, listener) => void (++listeners === 2 && waits(listener)),
    removeEventListener: () => undefined,
  };
}

describe("a submission is sent again with the same key", () => {
  it.each<[string, Partial<Problem>]>([
    ["is still running", inProgress],
    ["has an unknown outcome that the gateway is about to look up", unknown],
    ["came when the gateway had no room", tooMany],
  ])("a submission is sent again with the same key when it %s", async (_, parts) => {
    const server = await scriptedServer(problem(parts, now), problem(parts, now), issued);
    const call = connect(server.address).call(createPolicy, { body: policyBody });
    const { data, response } = await call.withResponse();
    expect(data).toEqual(issuedPolicy);
    expect(new Set(keysOf(server))).toEqual(new Set([`"${response.idempotencyKey}";generated`]));
    expect(server.arrivals).toHaveLength(3);
  });

  it("a submission is sent again with the same key after the wait that the gateway requires, and not before", async () => {
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

  it("a submission is sent again with the same key if the connection was not made", async () => {
    const server = await scriptedServer(issued);
    const transport = failingTransport(refused, refused);
    const gateway = connect(server.address, { transport });
    await gateway.call(createPolicy, input);
    expect(keysOf(server)).toEqual(["key-1"]);
    expect(transport.sends()).toBe(3);
  });
});

describe("a submission is not sent again", () => {
  it.each<[string, Reply]>([
    ["when it is still running, and nobody says for how long", problem(inProgress)],
    ["when the wait would pass the deadline", problem(unknown, { "retry-after": "61" })],
    ["when its outcome is unknown, and nobody looks it up soon", problem(unknown)],
    ["when it is to be looked up first", problem({ ...inProgress, retry: "after_check" }, now)],
    ["when it was refused", problem({ outcome: "rejected", retry: "never" }, now)],
  ])("%s", async (_, reply) => {
    const server = await scriptedServer(reply, issued);
    await failureOf(connect(server.address).call(createPolicy, input));
    expect(server.arrivals).toHaveLength(1);
  });

  it("a submission is not sent again if the next try would pass the deadline: it fails at once", async () => {
    const server = await scriptedServer(problem(unknown, { "retry-after": "19" }), issued);
    const call = connect(server.address).call(createPolicy, { ...input, timeout: 18_000 });
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ code: "OUTCOME_UNKNOWN", retryAfterSeconds: 19 });
    expect(String(failure)).toContain("Call again in 19 s with the same input");
    expect(server.arrivals).toHaveLength(1);
  });

  it("once the gateway asks for a wait that would pass the deadline", async () => {
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
  it("is an error that says how to find out, as the gateway's problem does", async () => {
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

  it("a submission without an answer has the generated key, and the declared lookup", async () => {
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

  it("is recognised by a second copy of core", async () => {
    const copy = await secondCopy();
    const server = await scriptedServer(problem(unknown));
    const failure = await failureOf(connect(server.address).call(createPolicy, input));
    expect(copy.OutcomeUnknownError.isInstance(failure)).toBe(true);
    expect(failure).not.toBeInstanceOf(copy.OutcomeUnknownError);
  });
});

describe("what an earlier try left open", () => {
  it.each<[string, Reply]>([
    ["had no room for it", problem({ ...tooMany, retry: "never" })],
    ["found it still running", problem(inProgress)],
    ["was lost", reset],
  ])("stays open when a later try %s", async (_, later) => {
    const server = await scriptedServer(problem(unknown, now), later);
    expect(await failureOf(connect(server.address).call(createPolicy, input))).toMatchObject({
      name: "OutcomeUnknownError",
      idempotencyKey: "key-1",
      submissionId: "S-1",
    });
  });

  it.each([
    ["gave", input],
    ["did not give", { body: policyBody }],
  ])(
    "is still running when a later try has no token, with a key that the caller %s",
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
    ["the insurer's refusal", { outcome: "rejected", retry: "never" }, {}],
    ["that the insurer acted", { outcome: "executed", retry: "never" }, {}],
    [
      "a stored answer",
      { outcome: "not_sent", retry: "never" },
      { "idempotency-replayed": "true" },
    ],
  ])("is settled by %s", async (_, parts, headers) => {
    const server = await scriptedServer(problem(unknown, now), problem(parts, headers));
    expect(await failureOf(connect(server.address).call(createPolicy, input))).toMatchObject({
      name: "ProblemError",
      ...parts,
    });
  });

  it("stays open when the caller ends the wait for another try", async () => {
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
