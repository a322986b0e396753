import { makeGatewayFolder, runCommand } from "@insurance-gateway/running-gateway";
import { Counter, Gauge, Registry } from "prom-client";
import { expect, it } from "vitest";
import { noteFiles } from "../../src/configuration/files.ts";
import { loadConfiguration } from "../../src/configuration/load.ts";
import { createReadSettings } from "../../src/configuration/settings.ts";
import { joinMetrics } from "../../src/observation/metrics.ts";
import { joinAnswers, joinProviders } from "../../src/operations/all-processes.ts";
import type { ListedProvider } from "../../src/operations/provider-list.ts";
import { shareOf } from "../../src/processes/share.ts";
import { limitLines } from "../../src/reference/limit-lines.ts";
import { ownRoutes } from "../../src/routing/own-routes.ts";
import { runsInProcess } from "../command-line/in-process.ts";

it.each(["1", "256"])("refuses several processes without PostgreSQL: %s", async (number) => {
  const folder = makeGatewayFolder();
  const ended = await runCommand(folder.path, ["serve", "--processes", number]);
  folder.remove();
  expect(ended).toEqual({
    code: 78,
    signal: null,
    stdout: "",
    stderr:
      "The configuration (--processes) cannot be used:\n  DATABASE_URL (environment): must name a PostgreSQL database; several processes cannot serve from a SQLite file\n",
  });
});

it.each(["0", "257", "1000", "two"])(
  "refuses a number of processes that is none: %s",
  async (number) => {
    const folder = makeGatewayFolder();
    const run = runsInProcess({ folder: folder.path, address: "http://127.0.0.1:1" });
    const ended = await run(["serve", "--processes", number]);
    folder.remove();
    expect(ended).toEqual({
      code: 2,
      signal: null,
      stdout: "",
      stderr:
        "error: --processes is invalid. It must be a whole number from 1 to 256.\n(see insurance-gateway --help)\n",
    });
  },
);

it("divides what each process counts by itself, and rounds it up", () => {
  const folder = makeGatewayFolder({
    providers: [
      {
        package: "@insurance-gateway/provider-d",
        upstream: "sandbox",
        callerLimit: { requests: 100, windowSeconds: 10 },
        bulkhead: { running: 32, queued: 1, queueMs: 50 },
      },
    ],
    limits: { connections: 1_000 },
  });
  const whole = loadConfiguration({}, folder.path);
  folder.remove();
  const [provider] = whole.providers;
  expect(shareOf(whole, 3)).toEqual({
    ...whole,
    limits: {
      ...whole.limits,
      answerBytes: 89_478_486,
      connections: 334,
      uploadBytes: 357_913_942,
      uploadsPerCaller: 6,
    },
    observation: { searchesPerHour: Math.ceil(whole.observation.searchesPerHour / 3) },
    authentication: {
      ...whole.authentication,
      refusedTokens: Math.ceil(whole.authentication.refusedTokens / 3),
    },
    providers: [
      {
        ...provider,
        callerLimit: { requests: 34, windowSeconds: 10 },
        bulkhead: { running: 11, queued: 1, queueMs: 50 },
      },
    ],
  });
  expect(shareOf(whole, 1)).toBe(whole);
});

it("keeps a series for each process, under one head", async () => {
  const collected = [1, 2].map((process) => {
    const registry = new Registry();
    registry.setDefaultLabels({ process });
    new Counter({ name: "calls_total", help: "Calls.", registers: [registry] }).inc(process * 10);
    return registry.getMetricsAsJSON();
  });
  const text = await joinMetrics(await Promise.all(collected));
  expect(text.split("\n").filter((line) => line !== "")).toEqual([
    "# HELP calls_total Calls.",
    "# TYPE calls_total counter",
    'calls_total{process="1"} 10',
    'calls_total{process="2"} 20',
  ]);
});

it("writes no value of a metric that was no number in its process", async () => {
  const registry = new Registry();
  const gauge = new Gauge({ name: "age", help: "Age.", labelNames: ["of"], registers: [registry] });
  gauge.set({ of: "known" }, 1);
  gauge.set({ of: "unknown" }, Number.NaN);
  // As processes send it to each other.
  const sent = JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()));
  expect((await joinMetrics([sent])).split("\n").filter((line) => line.startsWith("age"))).toEqual([
    'age{of="known"} 1',
  ]);
});

it("publishes the limits of all processes together, and keeps to its part", async () => {
  const provider = { package: "@insurance-gateway/provider-d", upstream: "sandbox" };
  const folder = makeGatewayFolder({ providers: [provider] });
  const settings = await createReadSettings({}, folder.path, 4)(noteFiles());
  folder.remove();
  expect(limitLines(settings.whole)[0]?.[1]).toBe("600 a minute");
  expect(settings.configuration.providers[0]?.callerLimit.requests).toBe(150);
});

it("divides the limit of the gateway's own addresses", async () => {
  const status = (): never => {
    throw new TypeError("Nobody asks for it");
  };
  const providers = { list: status, one: status };
  const [own] = ownRoutes("", { scenarios: null }, { status, statusByKey: status }, providers, 4);
  const headers = await own?.route.limitCaller({
    issuer: "i",
    subject: "s",
    tenant: null,
    scopes: [],
  });
  expect(headers?.["ratelimit-policy"]).toBe('"caller";q=150;w=60');
});

const quiet: ListedProvider = {
  segment: "provider-d",
  provider: "provider-d",
  sandbox: false,
  state: "up",
  reasons: [],
  breaker: "closed",
  running: 1,
  queued: 0,
  calls: 30,
  refused: 0,
  errorRate: 0,
  p50Ms: 20,
  p95Ms: 90,
  lastSuccessAt: "2026-11-23T06:00:00.000Z",
  refusedConnections: ["north"],
  unknownSubmissions: 2,
};

it("adds up what the processes know of a provider", () => {
  const failing: ListedProvider = {
    ...quiet,
    breaker: "open",
    running: 2,
    queued: 3,
    calls: 10,
    refused: 4,
    errorRate: 1,
    p50Ms: null,
    p95Ms: 100,
    lastSuccessAt: null,
    refusedConnections: ["north", "south"],
  };
  const at = "2026-11-23T06:00:01.000Z";
  const [joined] = joinProviders([
    { items: [quiet], at },
    { items: [failing], at },
  ]).items;
  expect(joined).toEqual({
    ...quiet,
    state: "down",
    reasons: ["breaker_open", "failures", "queue"],
    breaker: "open",
    running: 3,
    queued: 3,
    calls: 40,
    refused: 4,
    errorRate: 0.25,
    p95Ms: 100,
    refusedConnections: ["north", "south"],
  });
});

it("counts an unmatched answer once for all processes", () => {
  const kind = {
    segment: "provider-d",
    endpoint: "createApplication",
    status: 422,
    mediaType: "application/json",
    code: "E1",
    at: "/code",
  };
  const [one, two] = ["2026-11-23T06:00:00.000Z", "2026-11-23T07:00:00.000Z"];
  const joined = joinAnswers([
    [{ ...kind, count: 2, firstAt: one, lastAt: two }],
    [
      { ...kind, code: "E2", count: 4, firstAt: one, lastAt: one },
      { ...kind, count: 3, firstAt: two, lastAt: two },
    ],
  ]);
  expect(joined).toEqual([
    { ...kind, count: 5, firstAt: one, lastAt: two },
    { ...kind, code: "E2", count: 4, firstAt: one, lastAt: one },
  ]);
});
