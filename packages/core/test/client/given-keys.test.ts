import { describe, expect, it } from "vitest";
import type { GatewayOptions, SubmissionOptions } from "../../src/index.ts";
import { TransportError } from "../../src/transport/index.ts";
import { connect } from "../harness/connect.ts";
import { createPolicy, listBrands, policyBody } from "../harness/declarations.ts";
import { failingTransport } from "../harness/failing-transport.ts";
import { failureOf } from "../harness/failure.ts";
import { problem, submissionNotFound, submissionStatus } from "../harness/replies.ts";
import { type Reply, type ScriptedServer, scriptedServer } from "../harness/scripted-server.ts";

/** A call that fails before its request is sent. */
interface Unsent {
  readonly code: string;
  readonly retry: "safe" | "never";
  readonly gateway?: () => Partial<GatewayOptions>;
  readonly call?: () => SubmissionOptions & { readonly body?: never };
}

const connectFailures = (
  ...[reason, detail]: ConstructorParameters<typeof TransportError> extends [unknown, ...infer Rest]
    ? Rest
    : never
): Partial<GatewayOptions> => {
  const failure = new TransportError("connect", reason, detail);
  return { transport: failingTransport(failure, failure, failure) };
};

const unsent: Readonly<Record<string, Unsent>> = {
  "that is cancelled before it begins": {
    code: "CANCELLED",
    retry: "safe",
    call: () => ({ signal: AbortSignal.abort() }),
  },
  "that is cancelled while it waits for its token": {
    code: "CANCELLED",
    retry: "safe",
    gateway: () => ({ token: () => new Promise(() => undefined) }),
    call: () => {
      const cancel = new AbortController();
      setImmediate(() => cancel.abort());
      return { signal: cancel.signal };
    },
  },
  "whose token function fails": {
    code: "TOKEN_UNAVAILABLE",
    retry: "safe",
    gateway: () => ({ token: () => Promise.reject(new Error("no token")) }),
  },
  "whose token is malformed": {
    code: "TOKEN_UNAVAILABLE",
    retry: "never",
    gateway: () => ({ token: () => "two words" }),
  },
  "whose time limit passes before the token arrives": {
    code: "TOKEN_UNAVAILABLE",
    retry: "safe",
    gateway: () => ({ token: () => new Promise(() => undefined) }),
    call: () => ({ timeout: 1 }),
  },
  "whose time limit passes before a connection is open": {
    code: "TIMEOUT",
    retry: "safe",
    gateway: () => connectFailures("timeout"),
  },
  "that cannot connect": {
    code: "CONNECTION_FAILED",
    retry: "safe",
    gateway: () => connectFailures("failed", "ECONNREFUSED"),
  },
  "whose transport is closed": {
    code: "CONNECTION_FAILED",
    retry: "safe",
    gateway: () => connectFailures("failed", "CLOSED"),
  },
};

describe.each(Object.entries(unsent))("a submission %s", (_, { call, code, gateway, retry }) => {
  const failureWith = async (key: Pick<SubmissionOptions, "idempotencyKey">): Promise<unknown> => {
    const server = await scriptedServer();
    const client = connect(server.address, gateway?.());
    const failure = await failureOf(
      client.call(createPolicy, { body: policyBody, ...key, ...call?.() }),
    );
    expect(server.connections()).toBe(0);
    return failure;
  };

  it("an unsent submission has the outcome `not_sent` if the client generated a key for this call", async () => {
    expect(await failureWith({})).toMatchObject({ code, outcome: "not_sent", retry });
  });

  it("an unsent submission with a chosen key has the outcome `unknown`, because an earlier call may have sent the same key", async () => {
    const failure = await failureWith({ idempotencyKey: "key-1" });
    expect(failure).toMatchObject({
      name: "OutcomeUnknownError",
      code,
      outcome: "unknown",
      retry: retry === "never" ? "after_check" : "same_key",
      idempotencyKey: "key-1",
      mayBeSent: false,
      cause: { code, outcome: "not_sent" },
    });
    expect(String(failure)).toContain(
      "This call was not sent. It is not known whether an earlier call with its key was sent.",
    );
    expect(String(failure)).toContain('the key "key-1"');
  });
});

/** Options of calls that the client refuses to send. */
const invalid: Readonly<Record<string, SubmissionOptions & { readonly body?: never }>> = {
  "an invalid body": { body: { holder: 7 } as never },
  "an invalid header": { headers: { "x-a": "α" } },
  "a media type that the endpoint does not have": { mediaType: "text/plain" },
  "a key with a space": { idempotencyKey: "a b" },
  "a key with a quotation mark": { idempotencyKey: 'a"b' },
};

describe.each(Object.entries(invalid))(
  "an invalid submission with a chosen key: %s",
  (_, options) => {
    const failureWith = async (reply: Reply): Promise<[unknown, ScriptedServer]> => {
      const server = await scriptedServer(reply);
      const input = { body: policyBody, idempotencyKey: "key-1", ...options };
      return [await failureOf(connect(server.address).call(createPolicy, input)), server];
    };

    it("an invalid submission has the outcome `not_sent` if the gateway has no submission with the same key", async () => {
      const [failure, server] = await failureWith(submissionNotFound);
      expect(failure).toMatchObject({ name: "RequestInvalidError", outcome: "not_sent" });
      const query = "segment=provider-m&endpoint=POST+%2Fpolicies";
      expect(server.arrivals).toMatchObject([
        { method: "GET", target: `/submissions?${query}`, body: "" },
      ]);
    });

    it.each([
      ["succeeded", "executed"],
      ["failed", "rejected"],
    ])(
      "an invalid submission has the outcome of an earlier submission with the same key: %s results in `%s`",
      async (state, outcome) => {
        const [failure] = await failureWith(submissionStatus(state, { insurerId: "M-1" }));
        expect(failure).toMatchObject({
          name: "RequestInvalidError",
          outcome,
          submissionId: "S-1",
          insurerId: "M-1",
        });
      },
    );

    it.each(["in_flight", "outcome_unknown", "needs_review"])(
      "an invalid submission has the outcome `unknown` if an earlier submission with the same key has the state %s",
      async (state) => {
        const [failure] = await failureWith(submissionStatus(state));
        expect(failure).toMatchObject({
          name: "OutcomeUnknownError",
          outcome: "unknown",
          submissionId: "S-1",
          cause: { name: "RequestInvalidError" },
        });
      },
    );

    it("an invalid submission has the outcome `unknown` if the gateway refuses the client's query for an earlier submission", async () => {
      const [failure] = await failureWith(
        problem({ status: 401, code: "UNAUTHENTICATED", retry: "never" }),
      );
      expect(failure).toMatchObject({
        name: "OutcomeUnknownError",
        outcome: "unknown",
        retry: "after_check",
        mayBeSent: false,
        cause: { name: "RequestInvalidError", outcome: "not_sent" },
      });
    });
  },
);

describe("keys that the calling program chose", () => {
  it("the client queries the gateway for an earlier submission even if the key was passed as a header by mistake", async () => {
    const server = await scriptedServer(submissionStatus("succeeded"));
    const call = connect(server.address).call(createPolicy, {
      body: policyBody,
      headers: { "Idempotency-Key": "key-1" },
    });
    expect(await failureOf(call)).toMatchObject({
      outcome: "executed",
      errors: [{ pointer: "/headers/Idempotency-Key", code: "VALUE" }],
    });
  });

  it("a lookup has the outcome `not_sent` if the client refuses the lookup because the calling program passed a key", async () => {
    const server = await scriptedServer();
    // @ts-expect-error only a submission has a key
    const call = connect(server.address).call(listBrands, { idempotencyKey: "key-1" });
    expect(await failureOf(call)).toMatchObject({ outcome: "not_sent", retry: "never" });
  });
});

describe("a submission refused before the gateway reads its key", () => {
  it("the error of a submission that the gateway refuses reports the outcome of earlier calls with the same chosen key as unknown", async () => {
    const server = await scriptedServer(
      problem({ status: 401, code: "UNAUTHENTICATED", outcome: "unknown", retry: "never" }),
    );
    const call = connect(server.address).call(createPolicy, {
      body: policyBody,
      idempotencyKey: "key-1",
    });
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ outcome: "unknown", retry: "after_check", mayBeSent: false });
    expect(String(failure)).toContain("This call was not sent.");
  });
});
