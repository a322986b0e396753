import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  type CallAttempt,
  type CallFailure,
  createGateway,
  memoryKeyStore,
} from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import {
  createPolicy,
  downloadTerms,
  issuedPolicy,
  listBrands,
  policyBody,
  searchPolicies,
} from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { json, problem, raw, silence, submissionNotFound } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

const busy = raw("", "text/html", 503);

describe("hooks", () => {
  it("a hook of the client receives each attempt and each failure without any content of the request or the answer", async () => {
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

  it("`onError` is not called for failed status queries that `resolve` and `resume` send", async () => {
    const failures: CallFailure[] = [];
    const lost = problem({
      status: 504,
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
      retry: "same_key",
      reconciliation: { href: "/submissions/S-1" },
    });
    const server = await scriptedServer(lost, submissionNotFound);
    const gateway = connect(server.address, { onError: (failure) => failures.push(failure) });
    const result = await gateway.submit(createPolicy, { body: policyBody, key: "k-1" });
    if (result.outcome !== "unknown") throw new Error(`The outcome is ${result.outcome}`);
    expect(await result.error.resolve()).toMatchObject({ outcome: "unknown", askAgainAt: null });
    const store = memoryKeyStore();
    await store.add({ key: "k-1", provider: "provider-m", endpoint: "POST /policies" });
    expect(await gateway.resume(store, [createPolicy])).toMatchObject([
      { result: { outcome: "not_sent" } },
    ]);
    expect(server.arrivals).toHaveLength(3);
    expect(failures.map(({ code }) => code)).toEqual(["OUTCOME_UNKNOWN"]);
  });

  it("`onError` is called for failures that occur while the calling program reads an answer", async () => {
    const failures: CallFailure[] = [];
    const pdf = raw("<!doctype html><p>canary", "application/pdf");
    const server = await scriptedServer(json({ items: [], start: 7, limit: 20, total: 9 }), pdf);
    const gateway = connect(server.address, { onError: (failure) => failures.push(failure) });
    const found = gateway.call(searchPolicies, { query: { clientAfm: "123456789" } });
    await failureOf(found[Symbol.asyncIterator]().next());
    const terms = await gateway.call(downloadTerms, { query: { policyId: "M-1" } });
    await failureOf(terms.bytes());
    expect(failures.map(({ code, endpoint }) => [endpoint, code])).toEqual([
      ["GET /policies", "RESPONSE_INVALID"],
      ["GET /terms", "RESPONSE_INVALID"],
    ]);
  });

  it("a hook that throws or rejects does not change the result of the call", async () => {
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

it("a request has the package's version and the runtime in User-Agent, unless the call sets another User-Agent", async () => {
  const server = await scriptedServer(json({ items: [] }));
  const gateway = connect(server.address);
  await gateway.call(listBrands);
  await gateway.call(listBrands, { headers: { "user-agent": "own/1" } });
  expect(server.arrivals.map(({ headers }) => headers["user-agent"])).toEqual([
    expect.stringMatching(/^insurance-gateway-core\/\S+ Node\.js\/\d+$/),
    "own/1",
  ]);
});

describe("the path segment of a call", () => {
  it("the path segment of a call replaces the client's path segment, both in calls and in queries for a submission by its key", async () => {
    const server = await scriptedServer(json({ items: [] }), problem({ status: 404 }));
    const gateway = connect(server.address, { segments: { "provider-m": "acme" } });
    await gateway.call(listBrands, { segment: "acme-2" });
    await failureOf(gateway.submissionByKey(createPolicy, "k-1", { segment: "acme-2" }));
    expect(server.arrivals.map(({ target }) => target)).toEqual([
      "/acme-2/brands",
      "/submissions?segment=acme-2&endpoint=POST+%2Fpolicies",
    ]);
  });

  it.each(["..", "a/b", ""])(
    "the client refuses an invalid path segment of a call, and sends nothing: %j",
    async (segment) => {
      const server = await scriptedServer(json({ items: [] }));
      const failure = await failureOf(connect(server.address).call(listBrands, { segment }));
      expect(failure).toMatchObject({ code: "REQUEST_INVALID", errors: [{ pointer: "/segment" }] });
      expect(server.arrivals).toEqual([]);
    },
  );
});

it("a client that is declared with `await using` is closed at the end of its block", async () => {
  const server = await scriptedServer(json({ items: [] }));
  let outlived: ReturnType<typeof createGateway>;
  {
    await using gateway = createGateway({ baseUrl: server.address, token: "t" });
    await gateway.call(listBrands);
    outlived = gateway;
  }
  expect(await failureOf(outlived.call(listBrands))).toMatchObject({ code: "CONNECTION_FAILED" });
});

describe("the reason of an abort signal", () => {
  const waiting = problem({}, { "retry-after": "30" });
  const reason = new Error("The user left");

  it.each([
    ["before the call", () => AbortSignal.abort(reason), silence],
    ["while the call waits for the answer", null, silence],
    ["while the call waits for the next attempt", null, waiting],
  ])(
    "the cause of a call's error is the reason of the aborted signal, if the signal aborts %s",
    async (_, made, reply) => {
      const server = await scriptedServer(reply);
      const stop = new AbortController();
      const failure = failureOf(
        connect(server.address, { onAttempt: () => stop.abort(reason) }).call(listBrands, {
          signal: made?.() ?? stop.signal,
        }),
      );
      if (made === null && reply === silence) void server.reached.then(() => stop.abort(reason));
      expect(await failure).toMatchObject({ code: "CANCELLED", cause: reason });
      // The reason may contain anything, so logs must not print it.
      expect(inspect(await failure, { depth: 10 })).not.toContain("The user left");
    },
  );

  it("a call fails with TIMEOUT if its signal aborts because of a time limit", async () => {
    const server = await scriptedServer(silence);
    const call = connect(server.address).call(listBrands, { signal: AbortSignal.timeout(1) });
    expect(await failureOf(call)).toMatchObject({
      code: "TIMEOUT",
      cause: { name: "TimeoutError" },
    });
  });

  it("a call fails with TIMEOUT if its signal aborts because of a time limit while the call waits for the next attempt", async () => {
    const server = await scriptedServer(waiting);
    const stop = new AbortController();
    const late = new DOMException("late", "TimeoutError");
    const gateway = connect(server.address, { onAttempt: () => stop.abort(late) });
    const failure = await failureOf(gateway.call(listBrands, { signal: stop.signal }));
    expect(failure).toMatchObject({ code: "TIMEOUT", outcome: "not_sent", cause: late });
  });
});
