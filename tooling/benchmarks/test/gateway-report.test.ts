import { describe, expect, it } from "vitest";
import { resultCharts } from "../src/gateway/charts.ts";
import { readCommandLine } from "../src/gateway/options.ts";
import { type GatewayResults, isComplete, resultsText } from "../src/gateway/report.ts";
import { rows } from "../src/gateway/rows.ts";
import { summary } from "../src/gateway/steady.ts";

const estimate = (median: number): GatewayResults["latency"][string] => ({
  median,
  low: median * 0.9,
  high: median * 1.1,
  confidence: 0.96,
});
const measured = (
  variant: string,
  cost: number,
): GatewayResults["rows"][number]["measured"][number] => ({
  variant,
  processorUs: estimate(cost),
  ratio: estimate(100 / cost),
  perSecond: 1_000,
  p50: 20,
  p99: 40,
  memory: cost,
});
const steady = (p50: number, p99: number): GatewayResults["steady"][string] => ({
  duePerSecond: 700,
  perSecond: 690,
  p50,
  p99,
  ratio: estimate(p99 / p50),
  failed: 0,
  late: 0.002,
  faults: [],
});
const results: GatewayResults = {
  machine: {
    at: "2026-11-23T06:00:00.000Z",
    processor: "2 × Processor",
    memoryGb: 24,
    linux: "6.18",
    loadBefore: 0.1,
    loadAfter: 1.2,
    revision: "abc1234",
    versions: { node: "24.21.0", nginx: "1.22.1" },
  },
  amount: { rounds: 15, requests: 20_000, connections: 50 },
  generator: "wrk",
  fdatasyncMs: 0.2,
  rows: rows.map((row) => ({
    ...row,
    measured: [measured("bare fastify + undici", 100), measured(row.gateway, 200)],
  })),
  rest: { nginx: 5, gateway: 111 },
  latency: { nginx: estimate(0), gateway: estimate(0.1) },
  steady: { gateway: steady(2, 12), nginx: steady(0.3, 0.9) },
  readers: { gateway: 64 },
  processes: [
    measured("gateway, PostgreSQL, two processes", 104),
    // Its ratio is the other's processor time divided by its own.
    { ...measured("gateway, PostgreSQL, one process", 100), ratio: estimate(1.04) },
  ],
  processesAmount: { rounds: 16, requests: 30_000, connections: 50 },
};

describe("the report of the gateway's benchmark", () => {
  const text = resultsText(results);

  it("says machine, versions, date and method", () => {
    expect(text).toContain("Measured on 2026-11-23 at revision abc1234 on 2 × Processor, 24 GB");
    expect(text).toContain(
      "load average 0.1 before and 1.2 after the run; node 24.21.0, nginx 1.22.1",
    );
    expect(text).toContain("Median of 15 interleaved rounds of about 20000 requests");
  });

  it.each([
    ["POST quote, everything on", "| 0.5 | 0.45 to 0.55 (96 %) | ≥ 0.6 | 0.75 | **no** |"],
    [
      "GET list, 29 kB, every answer different",
      "| 0.5 | 0.45 to 0.55 (96 %) | ≥ 0.3 | 0.4 | yes |",
    ],
    [
      "added p50 of a quote over nginx, one connection",
      "| 0.1 ms (0.09 to 0.11 (96 %)) | ≤ 0.2 ms | yes |",
    ],
    [
      "p99 of a quote at 70 % of the highest rate, to its p50 (see the next table)",
      "| 6 × (5.4 to 6.6 (96 %)) | ≤ 5 × | **no** |",
    ],
    // 1.3 × 50 × 0.2 ms + 4 × 0.2 ms
    ["p50 of a submission, 50 in flight", "| 20 ms | ≤ 13.8 ms | **no** |"],
    ["memory at rest", "| 111 MB | ≤ 110 MB | **no** |"],
    ["memory under the load above", "| 200 MB | ≤ 220 MB | yes |"],
    ["50 slow readers of 10 MB PDFs, over idle", "| 64 MB | ≤ 128 MB | yes |"],
    [
      "processor time of a quote, two processes to one, PostgreSQL",
      "| 1.04 × (0.94 to 1.14 (96 %); 104 µs at 1000/s, 100 µs at 1000/s; 16 rounds of about 30000 requests) | ≤ 1.05 × | not shown (yes by the median) |",
    ],
  ])("judges the bar: %s", (figure, line) => {
    const lines = text.split("\n").filter((one) => one.startsWith(`| ${figure}`));
    expect(lines.some((one) => one.includes(line))).toBe(true);
  });

  it("judges by the median, and reports it, where the interval contains the bar", () => {
    const latency = { gateway: { ...estimate(0.21), low: 0.19 } };
    const ratio = { ...estimate(0.61), low: 0.5 };
    const [first = measured("", 1), second = measured("", 1)] = results.rows[0]?.measured ?? [];
    const [row] = results.rows.map((one) => ({ ...one, measured: [first, { ...second, ratio }] }));
    const lines = resultsText({ ...results, latency, rows: row === undefined ? [] : [row] });
    expect(lines).toContain("| ≤ 0.2 ms | not shown (no by the median) |");
    expect(lines).toContain("| ≥ 0.6 | 0.75 | not shown (yes by the median) |");
  });

  it("names why a latency is not valid, of each proxy, and does not judge the gateway's", () => {
    const late = { ...steady(2, 4), late: 0.4, faults: ["too many were sent late"] as const };
    const failed = { ...steady(1, 3), failed: 3, faults: ["requests failed"] as const };
    const lines = resultsText({ ...results, steady: { gateway: late, nginx: failed } }).split("\n");
    expect(lines.find((one) => one.startsWith("| p99 of a quote"))).toContain(
      "| ≤ 5 × | **not valid** |",
    );
    expect(lines).toContain("**Latency of a quote at 700 requests a second**");
    expect(lines).toContain(
      "| gateway | 690 | 2 | 4 | 2 | 1.8 to 2.2 (96 %) | 40 % | 0 | **no**: too many were sent late |",
    );
    expect(lines).toContain(
      "| nginx | 690 | 1 | 3 | 3 | 2.7 to 3.3 (96 %) | 0.2 % | 3 | **no**: requests failed |",
    );
  });

  it("says that a latency at a rate is valid", () => {
    expect(text).toContain("| nginx | 690 | 0.3 | 0.9 | 3 | 2.7 to 3.3 (96 %) | 0.2 % | 0 | yes |");
  });

  it("has no table of latencies at a rate that were not measured", () => {
    expect(resultsText({ ...results, steady: {} })).not.toContain("Latency of a quote at");
  });

  it("draws its charts, each with machine, versions and date", () => {
    const charts = resultCharts(results);
    expect(charts.map(({ file }) => file)).toEqual([
      "ratio.svg",
      "processor-time.svg",
      "memory.svg",
    ]);
    for (const { image } of charts) {
      expect(image).toContain("2026-11-23");
      expect(image).toContain("nginx 1.22.1");
    }
  });

  it("is written to documents only when everything was measured", () => {
    expect(isComplete(results)).toBe(true);
    expect(isComplete({ ...results, rows: results.rows.slice(1) })).toBe(false);
    expect(isComplete({ ...results, readers: {} })).toBe(false);
    expect(isComplete({ ...results, processes: [] })).toBe(false);
  });
});

describe("the latency at a rate", () => {
  const round = { requests: 7_000, seconds: 10, p50: 2, p99: 8, failed: 0, late: 69 };

  it("is the median of the rounds", () => {
    const found = summary(700, [round, { ...round, p99: 10 }], 0);
    expect(found).toMatchObject({ perSecond: 700, p50: 2, p99: 9, failed: 0, faults: [] });
    expect(found.ratio.median).toBe(4.5);
  });

  it.each([
    ["the rate was not reached", { requests: 6_600, late: 0 }],
    ["too many were sent late", { late: 70 }],
    ["requests failed", { failed: 1 }],
  ])("is not valid when, in one round, %s", (fault, change) => {
    const found = summary(700, [round, { ...round, ...change }, round], 0);
    expect(found.faults).toEqual([fault]);
  });

  it("is not valid when requests failed before what is measured", () => {
    const found = summary(700, [round], 2);
    expect(found).toMatchObject({ failed: 2, faults: ["requests failed"] });
  });
});

describe("the command line of the gateway's benchmark", () => {
  it("chooses works, figures and proxies", () => {
    const asked = readCommandLine(["--only", "quote", "--only", "rest", "--peers", "nginx,hono"]);
    expect(asked.rows.map(({ name }) => name)).toEqual(["quote"]);
    expect(asked.figures).toEqual(["rest"]);
    const proxies = ["bare fastify + undici", "nginx", "hono + fetch", "caddy"];
    expect(proxies.filter(asked.hasPeer)).toEqual(proxies.slice(0, 3));
    expect(proxies.filter(readCommandLine(["--peers", "none"]).hasPeer)).toEqual(
      proxies.slice(0, 1),
    );
  });

  it.each([
    [["--only", "quotes"], "--only must be one of quote, lookup"],
    [["--rounds", "0"], "--rounds must be a whole number"],
    [["--write", "--only", "quote"], "--write takes whole runs"],
    [["--write", "--rounds", "5"], "--write needs --rounds 6 or more"],
    [["--fast"], "Unknown option"],
  ])("refuses %j", (parameters, message) => {
    expect(() => readCommandLine(parameters)).toThrow(message);
  });
});
