import { Refusal } from "@insurance-gateway/core/runtime";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCallerLimit } from "../../src/callers/caller-limits.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { holdTimers } from "../harness/held-timers.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer(json(200, { items: [] }));
  const providers = ["a", "b"].map((letter) => ({
    ...insurerConfiguration(letter, insurer.baseUrl),
    callerLimit: { requests: 3, windowSeconds: 3_600 },
  }));
  gateway = await startInProcess({ providers });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

async function ask(subject: string, path = "/provider-a/auto/brands"): Promise<Response> {
  const token = await gateway.tokenFor(subject);
  return fetch(gateway.address + path, { headers: { authorization: `Bearer ${token}` } });
}

describe("the per-client rate limit", () => {
  it("every answer states the caller's rate limit and the remaining requests, even if the request is invalid", async () => {
    const first = await ask("one");
    expect(first.headers.get("ratelimit-policy")).toBe('"caller";q=3;w=3600');
    expect(first.headers.get("ratelimit")).toMatch(/^"caller";r=2;t=3(600|5\d\d)$/);
    const second = await ask("one", "/provider-a/auto/brands?unknown=1");
    expect(second.status).toBe(400);
    expect(second.headers.get("ratelimit")).toMatch(/^"caller";r=1;t=/);
  });

  it("the gateway refuses a request above the caller's rate limit, sends nothing to the insurer, and states when to retry", async () => {
    for (let request = 0; request < 3; request += 1) await ask("two");
    const before = insurer.arrivals.length;
    const response = await ask("two");
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(3_500);
    expect(response.headers.get("ratelimit")).toMatch(/^"caller";r=0;t=/);
    expect(await problemIn(response)).toMatchObject({
      code: "RATE_LIMITED",
      outcome: "not_sent",
      retry: "safe",
    });
    expect(insurer.arrivals).toHaveLength(before);
  });

  it("two callers with the same subject but different issuers have separate rate limits", async () => {
    const limit = createCallerLimit(() => ({ requests: 1, windowSeconds: 60 }));
    const one = {
      issuer: "https://one.example",
      subject: "sub broker",
      tenant: null,
      scopes: null,
    };
    limit(one);
    expect(() => limit(one)).toThrow(/RATE_LIMITED/);
    expect(limit({ ...one, issuer: "https://two.example" })).toMatchObject({
      ratelimit: expect.stringContaining("r=0"),
    });
  });

  it("the requests of other callers, or to other providers, do not count against a caller's rate limit", async () => {
    for (let request = 0; request < 4; request += 1) await ask("three");
    expect((await ask("four")).status).toBe(200);
    expect((await ask("three", "/provider-b/countries")).status).toBe(200);
  });
});

it("a caller can query the state of a submission even after the caller has used up the rate limit for other requests", async () => {
  const path = "/submissions/0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";
  const own = await Promise.all(Array.from({ length: 601 }, () => ask("five", "/providers")));
  expect(own.filter(({ status }) => status === 429)).toHaveLength(1);
  for (let request = 0; request < 4; request += 1) await ask("five");
  const state = await ask("five", path);
  expect([state.status, state.headers.get("ratelimit-policy")]).toEqual([
    404,
    '"caller";q=600;w=60',
  ]);
  expect(state.headers.get("ratelimit")).toMatch(/^"caller";r=599;t=/);
});

it("the rate limit of a caller counts the requests in a fixed window that begins with the caller's request", () => {
  holdTimers(["performance"]);
  const [requests, windowSeconds] = [3, 10];
  const request = fc.record({
    subject: fc.constantFrom("sub one", "sub two"),
    afterMs: fc.constantFrom(0, 1, 999, 1_000, 4_999, 5_000, 9_999),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 20 }), (all) => {
      const limit = createCallerLimit(() => ({ requests, windowSeconds }));
      const windows = new Map<string, { count: number; readonly endsAt: number }>();
      for (const { afterMs, subject } of all) {
        vi.advanceTimersByTime(afterMs);
        const known = windows.get(subject);
        const window =
          known !== undefined && known.endsAt > performance.now()
            ? known
            : { count: 0, endsAt: performance.now() + windowSeconds * 1_000 };
        window.count += 1;
        windows.set(subject, window);
        const left = Math.max(0, requests - window.count);
        const seconds = Math.ceil((window.endsAt - performance.now()) / 1_000);
        const headers = {
          "ratelimit-policy": '"caller";q=3;w=10',
          ratelimit: `"caller";r=${left};t=${seconds}`,
        };
        const found = limited(() =>
          limit({ issuer: "https://issuer.example", subject, tenant: null, scopes: null }),
        );
        if (window.count <= requests) expect(found).toEqual(headers);
        else
          expect(found instanceof Refusal ? found.details.headers : found).toEqual({
            ...headers,
            "retry-after": String(seconds),
          });
      }
    }),
    { numRuns: 200 },
  );
});

it("a changed rate limit applies to callers at once, but a time window that has begun keeps its length", () => {
  holdTimers(["performance"]);
  let settings = { requests: 2, windowSeconds: 10 };
  const limit = createCallerLimit(() => settings);
  const caller = { issuer: "https://issuer.example", subject: "one", tenant: null, scopes: null };
  expect(limit(caller)).toMatchObject({ ratelimit: '"caller";r=1;t=10' });
  settings = { requests: 5, windowSeconds: 60 };
  expect(limit(caller)).toEqual({
    "ratelimit-policy": '"caller";q=5;w=60',
    ratelimit: '"caller";r=3;t=10',
  });
  vi.advanceTimersByTime(10_000);
  expect(limit(caller)).toMatchObject({ ratelimit: '"caller";r=4;t=60' });
});

/** Returns the result of a function, or the Refusal that it throws. */
function limited(count: () => unknown): unknown {
  try {
    return count();
  } catch (error) {
    return error;
  }
}
