import type { AttemptResult } from "@insurance-gateway/core/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import {
  endpointOf,
  type OperationsServer,
  startOperationsServer,
  trafficOf,
} from "./operations-server.ts";

let server: OperationsServer;
beforeEach(async () => {
  server = await startOperationsServer();
  server.traffic = [trafficOf("motor")];
});
afterEach(() => server.close());

const item = z.strictObject({
  segment: z.string(),
  provider: z.string(),
  sandbox: z.boolean(),
  state: z.enum(["up", "degraded", "down"]),
  reasons: z.array(
    z.enum(["breaker_open", "breaker_half_open", "failures", "queue", "credentials"]),
  ),
  breaker: z.enum(["closed", "open", "half_open"]),
  running: z.int(),
  queued: z.int(),
  calls: z.int(),
  refused: z.int(),
  errorRate: z.nullable(z.number().min(0).max(1)),
  p50Ms: z.nullable(z.number()),
  p95Ms: z.nullable(z.number()),
  lastSuccessAt: z.nullable(z.iso.datetime()),
  refusedAccounts: z.array(z.string()),
  unknownSubmissions: z.nullable(z.int()),
});
const providers = z.strictObject({ items: z.array(item), at: z.iso.datetime() });

async function list(): Promise<z.infer<typeof providers>> {
  return providers.parse(await (await server.get("/providers")).json());
}

async function motor(): Promise<z.infer<typeof item> | undefined> {
  return (await list()).items.find(({ segment }) => segment === "motor");
}

function attempts(count: number, result: AttemptResult, durationMs = 100): void {
  for (let index = 0; index < count; index++)
    server.observation.attemptEnded({ ...endpointOf("motor"), result, durationMs });
}

describe("the operator's list of providers", () => {
  it("the operator's list of providers contains every provider in the configured order, with counts of calls", async () => {
    server.traffic = [
      trafficOf("motor", { provider: "provider-d", sandbox: true, running: 4 }),
      trafficOf("home"),
    ];
    const { at, items } = await list();
    expect(items.map(({ segment }) => segment)).toEqual(["motor", "home"]);
    expect(items[0]).toEqual({
      segment: "motor",
      provider: "provider-d",
      sandbox: true,
      state: "up",
      reasons: [],
      breaker: "closed",
      running: 4,
      queued: 0,
      calls: 0,
      refused: 0,
      errorRate: null,
      p50Ms: null,
      p95Ms: null,
      lastSuccessAt: null,
      refusedAccounts: [],
      unknownSubmissions: 0,
    });
    expect(Date.parse(at)).toBe(server.time.now());
  });

  it("the operator's list of providers counts calls and failures, but not cancelled calls", async () => {
    attempts(3, "answered");
    attempts(1, "failed");
    attempts(5, "cancelled");
    expect(await motor()).toMatchObject({ calls: 4, errorRate: 0.25 });
  });

  it("the operator's list of providers forgets calls after five minutes, but keeps the time of the last success", async () => {
    attempts(1, "answered");
    const answeredAt = new Date(server.time.now()).toISOString();
    server.time.forward(150_000);
    attempts(1, "failed");
    expect(await motor()).toMatchObject({ calls: 2, errorRate: 0.5, lastSuccessAt: answeredAt });
    server.time.forward(160_000);
    expect(await motor()).toMatchObject({ calls: 1, errorRate: 1 });
    server.time.forward(150_000);
    expect(await motor()).toMatchObject({
      calls: 0,
      errorRate: null,
      p50Ms: null,
      lastSuccessAt: answeredAt,
    });
  });

  it("the operator's list of providers reports the median and the 95th percentile of durations with at most 5 % error", async () => {
    for (let milliseconds = 1; milliseconds <= 1_000; milliseconds++)
      attempts(1, "answered", milliseconds);
    const { p50Ms, p95Ms } = { p50Ms: null, p95Ms: null, ...(await motor()) };
    expect(Math.abs(Number(p50Ms) - 500)).toBeLessThanOrEqual(25);
    expect(Math.abs(Number(p95Ms) - 950)).toBeLessThanOrEqual(48);
  });

  it.each([0.2, 1, 61_000, 10 ** 7])(
    "the operator's list of providers counts a call with a duration of %d ms",
    async (milliseconds) => {
      attempts(1, "answered", milliseconds);
      expect((await motor())?.p50Ms).toBeGreaterThan(0);
    },
  );

  it("the operator's list of providers has the number of unknown submissions, or null while the store is unavailable", async () => {
    server.traffic = [trafficOf("motor"), trafficOf("home")];
    server.countUnknown = async () => new Map([["home", 3]]);
    expect((await list()).items.map(({ unknownSubmissions }) => unknownSubmissions)).toEqual([
      0, 3,
    ]);
    server.countUnknown = () => Promise.reject(new Error("unavailable"));
    expect((await list()).items.map(({ unknownSubmissions }) => unknownSubmissions)).toEqual([
      null,
      null,
    ]);
  });

  it.each([
    { name: "a closed breaker", more: {}, state: "up", reasons: [] },
    {
      name: "an open breaker",
      more: { breaker: "open" },
      state: "down",
      reasons: ["breaker_open"],
    },
    {
      name: "an open breaker and waiting calls",
      more: { breaker: "open", queued: 1 },
      state: "down",
      reasons: ["breaker_open", "queue"],
    },
    {
      name: "a half-open breaker",
      more: { breaker: "half_open" },
      state: "degraded",
      reasons: ["breaker_half_open"],
    },
    { name: "waiting calls", more: { queued: 1 }, state: "degraded", reasons: ["queue"] },
  ] as const)(
    "the operator's list of providers reports a provider with $name as $state",
    async ({ more, reasons, state }) => {
      server.traffic = [trafficOf("motor", more)];
      expect(await motor()).toMatchObject({ state, reasons });
    },
  );

  it.each([
    { failed: 9, answered: 10, state: "up", why: "under half of fewer than 20 calls failed" },
    { failed: 9, answered: 9, state: "degraded", why: "half of fewer than 20 calls failed" },
    { failed: 1, answered: 0, state: "degraded", why: "the only call failed" },
    { failed: 1, answered: 20, state: "up", why: "under 5 % failed" },
    { failed: 1, answered: 19, state: "degraded", why: "5 % failed" },
    { failed: 20, answered: 0, state: "degraded", why: "all failed" },
  ])(
    "the operator's list of providers reports the state $state if $why",
    async ({ answered, failed, state }) => {
      attempts(failed, "failed");
      attempts(answered, "answered");
      const reasons = state === "up" ? [] : ["failures"];
      expect(await motor()).toMatchObject({ state, reasons });
    },
  );
});
