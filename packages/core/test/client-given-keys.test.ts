import { describe, expect, it } from "vitest";
import type { GatewayOptions, SubmissionOptions } from "../src/index.ts";
import { TransportError } from "../src/transport/index.ts";
import { connect } from "./harness/connect.ts";
import { createPolicy, listBrands, policyBody } from "./harness/declarations.ts";
import { failingTransport } from "./harness/failing-transport.ts";
import { failureOf } from "./harness/failure.ts";
import { problem } from "./harness/replies.ts";
import { scriptedServer } from "./harness/scripted-server.ts";

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
  "whose body breaks the declaration": {
    code: "REQUEST_INVALID",
    retry: "never",
    call: () => ({ body: { holder: 7 } as never }),
  },
  "with an invalid header": {
    code: "REQUEST_INVALID",
    retry: "never",
    call: () => ({ headers: { "x-a": "α" } }),
  },
  "with a media type that the endpoint does not have": {
    code: "REQUEST_INVALID",
    retry: "never",
    call: () => ({ mediaType: "text/plain" }),
  },
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
  "whose time is over before it has a token": {
    code: "TOKEN_UNAVAILABLE",
    retry: "safe",
    gateway: () => ({ token: () => new Promise(() => undefined) }),
    call: () => ({ timeout: 1 }),
  },
  "whose time is over before there is a connection": {
    code: "TIMEOUT",
    retry: "safe",
    gateway: () => connectFailures("timeout"),
  },
  "that gets no connection": {
    code: "CONNECTION_FAILED",
    retry: "safe",
    gateway: () => connectFailures("failed", "ECONNREFUSED"),
  },
  "that the transport refuses": {
    code: "CONNECTION_FAILED",
    retry: "safe",
    gateway: () => connectFailures("failed", "UND_ERR_CLOSED"),
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

  it("is not sent if the client made its key", async () => {
    expect(await failureWith({})).toMatchObject({ code, outcome: "not_sent", retry });
  });

  it("has an unknown outcome if an earlier call may have sent its key", async () => {
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
    expect(String(failure)).toContain('idempotencyKey "key-1"');
  });
});

describe("a key that the application gives", () => {
  it.each([
    ["a b", "with a space"],
    ['"a"', "with quotation marks"],
    ["a\\b", "with a backslash"],
  ])("may have been sent by another client if the gateway accepts it: %j, %s", async (key) => {
    const server = await scriptedServer();
    const call = connect(server.address).call(createPolicy, {
      body: policyBody,
      idempotencyKey: key,
    });
    expect(await failureOf(call)).toMatchObject({
      name: "OutcomeUnknownError",
      outcome: "unknown",
      retry: "after_check",
      idempotencyKey: key,
      cause: { errors: [{ pointer: "/idempotencyKey", code: "FORMAT" }] },
    });
    expect(server.connections()).toBe(0);
  });

  it("may have been sent before, also if it is given as a header", async () => {
    const server = await scriptedServer();
    const call = connect(server.address).call(createPolicy, {
      body: policyBody,
      headers: { "Idempotency-Key": "key-1" },
    });
    expect(await failureOf(call)).toMatchObject({
      outcome: "unknown",
      idempotencyKey: "key-1",
      cause: { errors: [{ pointer: "/headers/Idempotency-Key", code: "VALUE" }] },
    });
  });

  it("makes no call uncertain that changes nothing at the insurer", async () => {
    const server = await scriptedServer();
    // @ts-expect-error only a submission has a key
    const call = connect(server.address).call(listBrands, { idempotencyKey: "key-1" });
    expect(await failureOf(call)).toMatchObject({ outcome: "not_sent", retry: "never" });
  });
});

describe("a submission that the gateway refused unread", () => {
  it("was not sent by this call, whatever became of an earlier one", async () => {
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
