import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { type CallAttempt, type CallFailure, createGateway } from "../src/index.ts";
import { connect } from "./harness/connect.ts";
import { createPolicy, issuedPolicy, listBrands, policyBody } from "./harness/declarations.ts";
import { failureOf } from "./harness/failure.ts";
import { json, problem, raw, silence } from "./harness/replies.ts";
import { scriptedServer } from "./harness/scripted-server.ts";

const busy = raw("", "text/html", 503);

describe("a hook", () => {
  it("gets each attempt and each failure, with nothing of the request or the answer", async () => {
    const attempts: CallAttempt[] = [];
    const failures: CallFailure[] = [];
    const refusal = problem(
      {
        status: 422,
        code: "PROVIDER_REJECTED",
        outcome: "rejected",
        retry: "never",
        detail: "canary",
        errors: [{ pointer: "/canary", code: "VALUE", message: "canary" }],
      },
      { "x-request-id": "req-1" },
    );
    const server = await scriptedServer(busy, json(issuedPolicy, 201), refusal);
    const gateway = connect(server.address, {
      token: "canary",
      onAttempt: (attempt) => attempts.push(attempt),
      onError: (failure) => failures.push(failure),
    });
    const input = { body: { ...policyBody, note: "canary" }, idempotencyKey: "canary" };
    await gateway.call(createPolicy, input);
    await failureOf(gateway.call(createPolicy, input));
    await failureOf(gateway.call(createPolicy, { body: { canary: "canary" } as never }));
    const call = { provider: "provider-m", endpoint: "POST /policies" };
    const duration = { durationMs: expect.any(Number) };
    expect(attempts).toEqual([
      {
        ...call,
        ...duration,
        attempt: 1,
        status: 503,
        requestId: null,
        code: "RESPONSE_INVALID",
        retryInMs: expect.any(Number),
      },
      {
        ...call,
        ...duration,
        attempt: 2,
        status: 201,
        requestId: null,
        code: null,
        retryInMs: null,
      },
      {
        ...call,
        ...duration,
        attempt: 1,
        status: 422,
        requestId: "req-1",
        code: "PROVIDER_REJECTED",
        retryInMs: null,
      },
    ]);
    expect(failures).toMatchObject([
      { ...call, name: "ProblemError", code: "PROVIDER_REJECTED", outcome: "rejected" },
      { ...call, name: "RequestInvalidError", code: "REQUEST_INVALID", retry: "never" },
    ]);
    expect(JSON.stringify([attempts, failures])).not.toContain("canary");
  });

  it("that fails, now or later, does not change the call", async () => {
    const server = await scriptedServer(json({ items: [] }));
    const gateway = connect(server.address, {
      onAttempt() {
        throw new Error("now");
      },
    });
    expect(await gateway.call(listBrands)).toEqual({ items: [] });
    const later = connect(server.address, { onAttempt: () => Promise.reject(new Error("later")) });
    expect(await later.call(listBrands)).toEqual({ items: [] });
  });
});

it("a request names the package's version and the runtime, unless the call names another agent", async () => {
  const server = await scriptedServer(json({ items: [] }));
  const gateway = connect(server.address);
  await gateway.call(listBrands);
  await gateway.call(listBrands, { headers: { "user-agent": "own/1" } });
  expect(server.arrivals.map(({ headers }) => headers["user-agent"])).toEqual([
    expect.stringMatching(/^insurance-gateway-core\/\S+ Node\.js\/\d+$/),
    "own/1",
  ]);
});

describe("the segment of a call", () => {
  it("replaces that of the client, also in a question about its key", async () => {
    const server = await scriptedServer(json({ items: [] }), problem({ status: 404 }));
    const gateway = connect(server.address, { segments: { "provider-m": "acme" } });
    await gateway.call(listBrands, { segment: "acme-2" });
    await failureOf(gateway.submissionByKey(createPolicy, "k-1", { segment: "acme-2" }));
    expect(server.arrivals.map(({ target }) => target)).toEqual([
      "/acme-2/brands",
      "/submissions?segment=acme-2&endpoint=POST+%2Fpolicies",
    ]);
  });

  it.each(["..", "a/b", ""])("that is %j is refused", async (segment) => {
    const server = await scriptedServer(json({ items: [] }));
    const failure = await failureOf(connect(server.address).call(listBrands, { segment }));
    expect(failure).toMatchObject({ code: "REQUEST_INVALID", errors: [{ pointer: "/segment" }] });
    expect(server.arrivals).toEqual([]);
  });
});

it("a client of `await using` is closed at the end of its block", async () => {
  const server = await scriptedServer(json({ items: [] }));
  let outlived: ReturnType<typeof createGateway>;
  {
    await using gateway = createGateway({ baseUrl: server.address, token: "t" });
    await gateway.call(listBrands);
    outlived = gateway;
  }
  expect(await failureOf(outlived.call(listBrands))).toMatchObject({ code: "CONNECTION_FAILED" });
});

describe("the reason of a signal", () => {
  const reason = new Error("The user left");

  it.each([
    ["before the call", () => AbortSignal.abort(reason), silence],
    ["while it waits for the answer", null, silence],
    ["while it waits for the next attempt", null, problem({}, { "retry-after": "30" })],
  ])("that is aborted %s is the cause of the error", async (_, made, reply) => {
    const server = await scriptedServer(reply);
    const stop = new AbortController();
    const failure = failureOf(
      connect(server.address, { onAttempt: () => stop.abort(reason) }).call(listBrands, {
        signal: made?.() ?? stop.signal,
      }),
    );
    if (made === null && reply === silence) void server.reached.then(() => stop.abort(reason));
    expect(await failure).toMatchObject({ code: "CANCELLED", cause: reason });
    // It may hold anything, so no log prints it.
    expect(inspect(await failure, { depth: 10 })).not.toContain("The user left");
  });

  it("that is its time limit is a TIMEOUT", async () => {
    const server = await scriptedServer(silence);
    const call = connect(server.address).call(listBrands, { signal: AbortSignal.timeout(1) });
    expect(await failureOf(call)).toMatchObject({
      code: "TIMEOUT",
      cause: { name: "TimeoutError" },
    });
  });
});
