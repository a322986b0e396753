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

describe("the metrics page", () => {
  it("the gateway's metrics contain no label value outside the fixed set of each label", async () => {
    server.observation.requestEnded(
      requestOf(brands, { code: "AFM 123456783", outcome: "rejected" }),
    );
    server.observation.tokenRefused("sub=maria@example.gr");
    const text = await (await server.get("/metrics")).text();
    expect(text).toContain('code="other"');
    expect(text).toContain('tokens_refused_total{reason="other"} 1');
    for (const secret of ["123456783", "maria"]) expect(text).not.toContain(secret);
  });

  it("the gateway's metrics count submissions with an unknown outcome, even of a removed provider", async () => {
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

  it("the gateway's metrics omit the number of unknown submissions while the store is unavailable", async () => {
    server.traffic = [trafficOf("motor")];
    const samples = (found: ReadonlyMap<string, Family>): number | undefined =>
      found.get("insurance_gateway_submissions_unknown")?.samples.length;
    expect(samples(await scrape())).toBe(1);
    server.countUnknown = () => Promise.reject(new Error("unavailable"));
    const found = await scrape();
    expect(samples(found)).toBe(0);
    expect(sampleOf(found, "insurance_gateway_calls_running", { provider: "motor" })).toBe(0);
  });

  it("the gateway's metrics contain the gateway's version", async () => {
    expect(
      sampleOf(await scrape(), "insurance_gateway_build_info", { version: manifest.version }),
    ).toBe(1);
  });

  it("every metric has a help text, and a name that fits its type", async () => {
    for (const [name, { help, type }] of await scrape()) {
      expect.soft(name).toMatch(/^insurance_gateway_[a-z_]+$/);
      expect.soft(help, name).toMatch(/\.$/);
      expect.soft(type === "counter", name).toBe(name.endsWith("_total"));
      expect.soft(type === "histogram", name).toBe(name.endsWith("_seconds"));
    }
  });
});

describe("the metrics of the process", () => {
  it("the gateway's metrics contain the process's CPU time and the event loop's lag", async () => {
    const own = await startOperationsServer({ processMetrics: createProcessMetrics() });
    const found = readExposition(await (await own.get("/metrics")).text());
    await own.close();
    expect(sampleOf(found, "process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(sampleOf(found, "nodejs_eventloop_lag_p99_seconds")).toBeDefined();
  });
});
