import { afterEach, beforeEach, describe, expect, it } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { createProcessMetrics } from "../../../src/operator/observation/process-metrics.ts";
import { type Family, readExposition, sampleOf } from "./exposition.ts";
import {
  endpointOf,
  type OperationsServer,
  requestOf,
  startOperationsServer,
  trafficOf,
} from "./operations-server.ts";

let server: OperationsServer;
beforeEach(async () => {
  server = await startOperationsServer();
});
afterEach(() => server.close());

async function scrape(): Promise<ReadonlyMap<string, Family>> {
  const response = await server.get("/metrics");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  return readExposition(await response.text());
}

const brands = endpointOf("motor");
const apply = endpointOf("motor", "createApplication", "submission");

describe("a scrape", () => {
  it("counts requests by provider, endpoint, status, code and outcome", async () => {
    const { observation } = server;
    observation.requestEnded(requestOf(brands));
    observation.requestEnded(requestOf(brands));
    observation.requestEnded(
      requestOf(apply, { status: 504, code: "OUTCOME_UNKNOWN", outcome: "unknown" }),
    );
    const found = await scrape();
    const name = "insurance_gateway_requests_total";
    expect(found.get(name)?.type).toBe("counter");
    expect(sampleOf(found, name, { ...named("listBrands"), status: "200", code: "" })).toBe(2);
    expect(
      sampleOf(found, name, {
        ...named("createApplication"),
        status: "504",
        code: "OUTCOME_UNKNOWN",
        outcome: "unknown",
      }),
    ).toBe(1);
  });

  it("counts what was refused before its endpoint was known, without a provider", async () => {
    server.observation.requestEnded(
      requestOf(null, { status: 401, code: "UNAUTHENTICATED", outcome: "not_sent" }),
    );
    const found = await scrape();
    const labels = { provider: "", endpoint: "", code: "UNAUTHENTICATED" };
    expect(sampleOf(found, "insurance_gateway_requests_total", labels)).toBe(1);
    expect(found.get("insurance_gateway_request_duration_seconds")?.samples).toEqual([]);
  });

  it("spreads durations in seconds, with the insurer's time and the gateway's own apart", async () => {
    server.observation.requestEnded(requestOf(brands, { durationMs: 260, insurerMs: 258 }));
    server.observation.requestEnded(requestOf(brands, { durationMs: 3, insurerMs: 0, ownMs: 3 }));
    const found = await scrape();
    const of = (name: string, labels: Record<string, string> = {}): number | undefined =>
      sampleOf(found, `insurance_gateway_${name}`, { kind: "lookup", ...labels });
    expect(of("request_duration_seconds_sum")).toBeCloseTo(0.263);
    expect(of("request_duration_seconds_bucket", { le: "0.25" })).toBe(1);
    expect(of("request_duration_seconds_bucket", { le: "0.5" })).toBe(2);
    expect(of("request_duration_seconds_bucket", { le: "+Inf" })).toBe(2);
    expect(of("insurer_duration_seconds_count")).toBe(1);
    expect(of("insurer_duration_seconds_sum")).toBeCloseTo(0.258);
    expect(of("overhead_seconds_sum")).toBeCloseTo(0.005);
    expect(of("overhead_seconds_bucket", { le: "0.0025" })).toBe(1);
  });

  it("counts what else happens", async () => {
    const { observation } = server;
    observation.attemptEnded({ ...brands, result: "failed", durationMs: 5 });
    observation.attemptEnded({ ...brands, result: "answered", durationMs: 5 });
    observation.heldBack(brands, "breaker");
    observation.heldBack(brands, "bulkhead");
    observation.answeredStale(brands);
    observation.rateLimited(apply);
    observation.tokenRefused("wrong_audience");
    observation.shed();
    observation.requestEnded(requestOf(brands, { callerGone: true }));
    const found = await scrape();
    const counted: readonly (readonly [string, Record<string, string>])[] = [
      ["attempts_total", { ...named("listBrands"), result: "failed" }],
      ["attempts_total", { ...named("listBrands"), result: "answered" }],
      ["held_back_total", { ...named("listBrands"), by: "breaker" }],
      ["held_back_total", { ...named("listBrands"), by: "bulkhead" }],
      ["stale_answers_total", named("listBrands")],
      ["rate_limited_total", named("createApplication")],
      ["tokens_refused_total", { reason: "wrong_audience" }],
      ["shed_total", {}],
      ["callers_gone_total", named("listBrands")],
    ];
    for (const [name, labels] of counted)
      expect.soft(sampleOf(found, `insurance_gateway_${name}`, labels), name).toBe(1);
  });

  it("has no label that is not of a fixed set", async () => {
    server.observation.requestEnded(
      requestOf(brands, { code: "AFM 123456783", outcome: "rejected" }),
    );
    server.observation.tokenRefused("sub=maria@example.gr");
    const text = await (await server.get("/metrics")).text();
    expect(text).toContain('code="other"');
    expect(text).toContain('tokens_refused_total{reason="other"} 1');
    for (const secret of ["123456783", "maria"]) expect(text).not.toContain(secret);
  });

  it("reports the current traffic", async () => {
    server.traffic = [trafficOf("motor", { breaker: "open", running: 3, queued: 2 })];
    const before = await scrape();
    server.traffic = [trafficOf("motor", { breaker: "half_open" })];
    const after = await scrape();
    const state = (found: typeof before, state: string): number | undefined =>
      sampleOf(found, "insurance_gateway_breaker_state", { provider: "motor", state });
    expect(["closed", "half_open", "open"].map((name) => state(before, name))).toEqual([0, 0, 1]);
    expect(["closed", "half_open", "open"].map((name) => state(after, name))).toEqual([0, 1, 0]);
    expect(sampleOf(before, "insurance_gateway_calls_running", { provider: "motor" })).toBe(3);
    expect(sampleOf(before, "insurance_gateway_calls_queued", { provider: "motor" })).toBe(2);
    expect(sampleOf(after, "insurance_gateway_calls_queued", { provider: "motor" })).toBe(0);
  });

  it("counts submissions of unknown outcome, also of a provider that is not configured any more", async () => {
    server.traffic = [trafficOf("motor"), trafficOf("home")];
    server.countUnknown = async () =>
      new Map([
        ["motor", 2],
        ["gone", 1],
      ]);
    const found = await scrape();
    const name = "insurance_gateway_submissions_unknown";
    expect(found.get(name)?.samples.map(({ labels, value }) => [labels.provider, value])).toEqual([
      ["motor", 2],
      ["home", 0],
      ["gone", 1],
    ]);
  });

  it("leaves the unknown submissions out while the store is unavailable, and goes on", async () => {
    server.traffic = [trafficOf("motor")];
    const samples = (found: ReadonlyMap<string, Family>): number | undefined =>
      found.get("insurance_gateway_submissions_unknown")?.samples.length;
    expect(samples(await scrape())).toBe(1);
    server.countUnknown = () => Promise.reject(new Error("unavailable"));
    const found = await scrape();
    expect(samples(found)).toBe(0);
    expect(sampleOf(found, "insurance_gateway_calls_running", { provider: "motor" })).toBe(0);
  });

  it("waits a second at most for a store that hangs", async () => {
    server.traffic = [trafficOf("motor")];
    let asked = 0;
    const { promise, resolve } = Promise.withResolvers<ReadonlyMap<string, number>>();
    server.countUnknown = () => {
      asked += 1;
      return promise;
    };
    const both = await Promise.all([scrape(), scrape()]);
    for (const found of both)
      expect(found.get("insurance_gateway_submissions_unknown")?.samples).toEqual([]);
    expect(asked).toBe(1);
    resolve(new Map([["motor", 4]]));
    await promise;
    expect(
      sampleOf(await scrape(), "insurance_gateway_submissions_unknown", { provider: "motor" }),
    ).toBe(4);
  });

  it("says how many calls wait for a token, and how old it is where there is one", async () => {
    server.traffic = [
      trafficOf("motor", { awaitingToken: 3, tokenAgeMs: 1_500 }),
      trafficOf("home"),
    ];
    const found = await scrape();
    const waiting = "insurance_gateway_calls_awaiting_token";
    expect(sampleOf(found, waiting, { provider: "motor" })).toBe(3);
    expect(sampleOf(found, waiting, { provider: "home" })).toBe(0);
    expect(found.get("insurance_gateway_token_age")?.samples).toEqual([
      expect.objectContaining({ labels: { provider: "motor" }, value: 1.5 }),
    ]);
  });

  it("says which version runs", async () => {
    expect(
      sampleOf(await scrape(), "insurance_gateway_build_info", { version: manifest.version }),
    ).toBe(1);
  });

  it("names everything of the gateway's own alike, and explains it", async () => {
    for (const [name, { help, type }] of await scrape()) {
      expect.soft(name).toMatch(/^insurance_gateway_[a-z_]+$/);
      expect.soft(help, name).toMatch(/\.$/);
      expect.soft(type === "counter", name).toBe(name.endsWith("_total"));
      expect.soft(type === "histogram", name).toBe(name.endsWith("_seconds"));
    }
  });
});

describe("the metrics of the process", () => {
  it("are in the scrape, with the event loop's lag", async () => {
    const own = await startOperationsServer({ processMetrics: createProcessMetrics() });
    const found = readExposition(await (await own.get("/metrics")).text());
    await own.close();
    expect(sampleOf(found, "process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(sampleOf(found, "nodejs_eventloop_lag_p99_seconds")).toBeDefined();
  });
});

function named(endpoint: string): { readonly provider: string; readonly endpoint: string } {
  return { provider: "motor", endpoint };
}
