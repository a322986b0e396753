import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ConnectionError, OutcomeUnknownError, type Transport } from "../src/index.ts";
import { connect } from "./harness/connect.ts";
import { createPolicy, listBrands, policyBody } from "./harness/declarations.ts";
import { failureOf } from "./harness/failure.ts";
import { NOBODY_LISTENS } from "./harness/listen.ts";
import { throwingTransport } from "./harness/throwing-transport.ts";

const thrown = new TypeError("fetch failed");

/** A transport whose answer has a head, and a body that fails with an error of its own. */
const cutTransport: Transport = {
  send: async () => ({
    status: 201,
    headers: { "x-request-id": "req-7", location: "/submissions/S-1" },
    body: {
      text: () => Promise.reject(thrown),
      stream: async function* () {},
      discard: () => undefined,
    },
  }),
  close: async () => undefined,
};

describe("a transport that fails with an error of its own", () => {
  it("leaves a submission's outcome unknown, with the key that was made", async () => {
    const gateway = connect(NOBODY_LISTENS, { transport: throwingTransport(thrown) });
    const failure = await failureOf(gateway.call(createPolicy, { body: policyBody }));
    if (!OutcomeUnknownError.isInstance(failure)) throw new TypeError("It is another error");
    expect(failure).toMatchObject({ code: "CONNECTION_FAILED", status: null, requestId: null });
    expect(failure.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(ConnectionError.isInstance(failure.cause)).toBe(true);
    expect(failure.cause.cause).toBe(thrown);
  });

  it("is a failed connection of any other call", async () => {
    const gateway = connect(NOBODY_LISTENS, { transport: throwingTransport(thrown) });
    const failure = await failureOf(gateway.call(listBrands));
    expect(ConnectionError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ code: "CONNECTION_FAILED", outcome: "unknown", retry: "safe" });
    expect(failure).toHaveProperty("cause", thrown);
  });

  it("in the middle of an answer is no answer that is not JSON", async () => {
    const gateway = connect(NOBODY_LISTENS, { transport: cutTransport });
    expect(await failureOf(gateway.call(createPolicy, { body: policyBody }))).toMatchObject({
      code: "CONNECTION_FAILED",
      status: 201,
      requestId: "req-7",
      submissionId: "S-1",
      cause: { cause: thrown },
    });
  });

  it("keeps that error out of logs: it may hold the request", async () => {
    const error = new TypeError('POST {"afm":"987654321"} failed');
    const gateway = connect(NOBODY_LISTENS, { transport: throwingTransport(error) });
    const failure = await failureOf(gateway.call(createPolicy, { body: policyBody }));
    expect(inspect(failure, { depth: 10 }) + JSON.stringify(failure)).not.toContain("987654321");
    expect(inspect(failure, { depth: 10 })).toContain("[cause]: [Getter]");
  });
});
