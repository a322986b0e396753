import { none } from "@insurance-gateway/core/contract";
import { TransportError } from "@insurance-gateway/core/transport";
import { describe, expect, it } from "vitest";
import { mayHaveActed, wasAnswered } from "../../src/insurers/attempt/exchanges.ts";
import { anything, begin, insurerOf, lookup, submission } from "./memory-insurer.ts";

describe("the request on which the insurer acts", () => {
  const other = { ...submission, response: { 201: anything, 204: none } };
  const { reconcile: _, ...unreconciled } = submission;
  const { same: __, ...uncompared } = submission;
  const post = { method: "POST", path: "/" };
  it.each([
    ["POST of a submission", submission, post, "fresh", true],
    ["POST of a submission that may have an empty answer", other, post, "new", true],
    ["POST of a submission without a reconciliation search", unreconciled, post, "fresh", true],
    ["POST of a submission without match fields", uncompared, post, "new", true],
    [
      "POST of a submission that creates nothing",
      { ...submission, creates: false },
      post,
      "new",
      true,
    ],
    [
      "POST of a submission with an empty list of match fields",
      { ...submission, same: [] },
      post,
      "new",
      true,
    ],
    ["GET of a submission", submission, { method: "GET", path: "/" }, "fresh", false],
    ["preparing POST of a submission", submission, { ...post, acts: false }, "fresh", false],
    [
      "preparing POST of a submission without match fields",
      uncompared,
      { ...post, acts: false },
      "new",
      false,
    ],
    [
      "GET that the adapter marks as acting",
      submission,
      { method: "GET", path: "/", acts: true },
      "fresh",
      true,
    ],
    ["POST of a lookup", lookup, post, "any", false],
  ])(
    "the method and the adapter's mark of a request determine whether the insurer acts, and which connection is used: %s",
    async (_, endpoint, request, connection, acts) => {
      const insurer = insurerOf();
      const exchanges = begin(insurer, endpoint);
      expect(exchanges.acting).toBeNull();
      const sending = exchanges.send(request);
      expect(exchanges.acting).toBe(acts ? "sent" : null);
      expect(mayHaveActed(exchanges.acting)).toBe(acts);
      await sending;
      expect(insurer.requests.map((one) => one.connection)).toEqual([connection]);
      expect(exchanges.acting).toBe(acts ? exchanges.made[0] : null);
      expect([wasAnswered(exchanges.acting), mayHaveActed(exchanges.acting)]).toEqual([acts, acts]);
    },
  );

  it("the adapter can send only one request on which the insurer acts, and preparing requests before and after this request", async () => {
    const insurer = insurerOf();
    const exchanges = begin(insurer, submission);
    await exchanges.send({ ...post, acts: false });
    await exchanges.send(post);
    await expect(exchanges.send(post)).rejects.toThrow("may act on only one request of a call");
    await exchanges.send({ ...post, acts: false });
    expect(insurer.requests).toHaveLength(3);
    expect(exchanges.acting).toBe(exchanges.made[1]);
  });

  it.each([
    ["resolve", false],
    ["connect", false],
    ["tls", false],
    ["write", true],
    ["wait", true],
    ["body", true],
  ] as const)(
    "a failed request counts as possibly sent to the insurer only if the connection was established: phase %s, %s",
    async (phase, mayHaveLeft) => {
      const insurer = insurerOf();
      const exchanges = begin(insurer, submission);
      const error = new TransportError(phase, "failed");
      insurer.failWith(error);
      await expect(exchanges.send(post)).rejects.toBe(error);
      expect(exchanges.acting).toBe(mayHaveLeft ? "sent" : error);
      expect([mayHaveActed(exchanges.acting), wasAnswered(exchanges.acting)]).toEqual([
        mayHaveLeft,
        false,
      ]);
      expect(exchanges.made).toEqual([]);
    },
  );

  it("the failure of a preparing request does not change the state of the request on which the insurer acts", async () => {
    const insurer = insurerOf();
    insurer.failWith(new TransportError("connect", "failed"));
    const exchanges = begin(insurer, submission);
    await expect(exchanges.send({ ...post, acts: false })).rejects.toThrow();
    expect(exchanges.acting).toBeNull();
  });
});

describe("a request to the insurer", () => {
  const get = { method: "GET", path: "/a?b=1" };
  it("the credentials' headers replace headers of the adapter, and the gateway's own headers replace both", async () => {
    const insurer = insurerOf();
    const own = { accept: "a/b", "x-own": "adapter", via: "adapter", "x-request-id": "adapter" };
    await begin(insurer, lookup).send({ ...get, headers: own });
    expect(insurer.requests).toMatchObject([{ method: "GET", url: "http://insurer/v1/a?b=1" }]);
    expect(insurer.requests[0]?.headers).toEqual({
      accept: "a/b",
      "accept-encoding": "identity",
      "x-own": "credentials",
      authorization: "Bearer token",
      traceparent: "trace",
      via: "1.1 insurance-gateway",
      "x-request-id": "request",
    });
    expect(insurer.requests[0]).not.toHaveProperty("body");
    expect(insurer.requests[0]).not.toHaveProperty("signal");
  });

  it("the gateway's request to a sandbox carries the caller's scenario, and ends when the caller disconnects", async () => {
    const insurer = insurerOf();
    const { signal } = new AbortController();
    await begin(insurer, lookup, { sandbox: true, call: { callerGone: signal } }).send(get);
    await begin(insurer, lookup, { sandbox: true, call: { scenario: undefined } }).send(get);
    expect(insurer.requests.map(({ headers }) => headers["x-sandbox-scenario"])).toEqual([
      "slow",
      undefined,
    ]);
    expect(insurer.requests[0]?.signal).toBe(signal);
  });

  it("the time limit of a request to the insurer is the remaining time of the call's attempt, but at least one millisecond", async () => {
    const insurer = insurerOf();
    const exchanges = begin(insurer, lookup, { withinMs: 60_000 });
    await exchanges.send(get);
    const timeoutMs = insurer.requests[0]?.timeoutMs ?? 0;
    expect(timeoutMs).toBeLessThanOrEqual(60_000);
    expect(timeoutMs).toBeGreaterThanOrEqual(exchanges.leftMs());
    await begin(insurer, lookup, { withinMs: -5 }).send(get);
    expect(insurer.requests[1]?.timeoutMs).toBe(1);
  });

  it("the gateway refuses a request path of the adapter that could name another host", async () => {
    const insurer = insurerOf();
    for (const path of ["", "a", "@elsewhere/", ".elsewhere/"])
      await expect(begin(insurer, lookup).send({ method: "GET", path })).rejects.toThrow(TypeError);
    expect(insurer.requests).toEqual([]);
  });
});
