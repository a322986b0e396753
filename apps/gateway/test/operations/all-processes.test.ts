import { describe, expect, it } from "vitest";
import type { CountedAnswer } from "../../src/observation/unmatched-answers.ts";
import { joinAnswers, joinProviders } from "../../src/operations/all-processes.ts";
import { driftShown } from "../../src/operations/drift-list.ts";
import { type ListedProvider, listProviders } from "../../src/operations/provider-list.ts";
import { stateOf } from "../../src/operations/provider-state.ts";
import { trafficOf } from "./operations-server.ts";

const at = "2026-11-23T06:00:00.000Z";
const quiet: ListedProvider = {
  segment: "motor",
  provider: "provider-d",
  sandbox: true,
  state: "up",
  reasons: [],
  breaker: "closed",
  running: 0,
  queued: 0,
  calls: 0,
  refused: 0,
  errorRate: null,
  p50Ms: null,
  p95Ms: null,
  lastSuccessAt: null,
  refusedConnections: [],
  unknownSubmissions: null,
};

function joined(...all: readonly Partial<ListedProvider>[]): ListedProvider | undefined {
  return joinProviders(all.map((one) => ({ items: [{ ...quiet, ...one }], at }))).items[0];
}

describe("a provider in several processes", () => {
  it("is as one process has it where it is alone, or the others do not have it", () => {
    const busy = {
      ...quiet,
      calls: 2,
      errorRate: 0,
      p50Ms: 3,
      p95Ms: 4,
      lastSuccessAt: at,
      unknownSubmissions: 0,
    };
    expect(joined(busy)).toEqual(busy);
    const lists = [
      { items: [busy], at },
      { items: [{ ...busy, segment: "home" }], at: "later" },
    ];
    expect(joinProviders(lists)).toEqual({ items: [busy], at });
  });

  it("has what is highest in any of them, and null only where all have null", () => {
    const first = { p50Ms: 5, p95Ms: null, lastSuccessAt: at, unknownSubmissions: 1 };
    const second = {
      p50Ms: 4,
      p95Ms: 9,
      lastSuccessAt: "2026-11-23T06:00:01.000Z",
      unknownSubmissions: null,
    };
    const highest = { ...second, p50Ms: 5, unknownSubmissions: 1 };
    expect(joined(first, second)).toMatchObject(highest);
    expect(joined(second, first)).toMatchObject(highest);
    expect(joined({}, {})).toEqual(quiet);
  });

  it("has a breaker as open as in any of them, and the calls of all", () => {
    expect(joined({ breaker: "half_open" }, {})).toMatchObject({
      breaker: "half_open",
      state: "degraded",
      reasons: ["breaker_half_open"],
    });
    expect(joined({ breaker: "half_open" }, { breaker: "open" })?.breaker).toBe("open");
    expect(
      joined(
        { calls: 15, errorRate: 0, queued: 1, running: 2 },
        { calls: 5, errorRate: 0.2, running: 3 },
      ),
    ).toMatchObject({
      calls: 20,
      errorRate: 0.05,
      queued: 1,
      running: 5,
      state: "degraded",
      reasons: ["failures", "queue"],
    });
  });

  it("names a hundred refused connections, each once", () => {
    const ids = Array.from({ length: 99 }, (_, index) => `c${index}`);
    const found = joined(
      { refusedConnections: ids },
      { refusedConnections: ["c0", "north", "default"] },
    );
    expect(found).toMatchObject({
      refusedConnections: [...ids, "north"],
      state: "degraded",
      reasons: ["credentials"],
    });
  });

  it("is nothing without a process that answers", () => {
    expect(() => joinProviders([])).toThrow(new TypeError("At least one process has answered"));
  });
});

describe("the unmatched answers of several processes", () => {
  const answer: CountedAnswer = {
    segment: "motor",
    endpoint: "quote",
    status: 422,
    mediaType: "application/json",
    code: "E1",
    at: "/code",
    count: 1,
    firstAt: "2026-11-23T06:00:00.000Z",
    lastAt: "2026-11-23T07:00:00.000Z",
  };
  it("have their first and last time in any of them", () => {
    const earlier = {
      ...answer,
      count: 2,
      firstAt: "2026-11-23T05:00:00.000Z",
      lastAt: answer.firstAt,
    };
    const expected = [{ ...answer, count: 3, firstAt: earlier.firstAt }];
    expect(joinAnswers([[answer], [earlier]])).toEqual(expected);
    expect(joinAnswers([[earlier], [answer]])).toEqual(expected);
    expect(joinAnswers([])).toEqual([]);
  });
});

describe("a provider in one process", () => {
  it("is listed with its traffic, its figures and its state", async () => {
    const ids = ["default", ...Array.from({ length: 100 }, (_, index) => `c${index}`)];
    const now = Date.parse(at);
    const list = await listProviders({
      traffic: () => [
        trafficOf("motor", {
          provider: "provider-d",
          sandbox: true,
          running: 1,
          queued: 2,
          refusedConnections: ids,
        }),
        trafficOf("home"),
      ],
      health: {
        figures: (segment) => ({
          calls: segment === "motor" ? 20 : 19,
          refused: 1,
          errorRate: 0.06,
          p50Ms: 1,
          p95Ms: 2,
          lastSuccessAt: segment === "motor" ? now - 1_000 : null,
        }),
      },
      unknownSubmissions: async () => new Map([["home", 3]]),
      now: () => now,
    });
    const figures = { refused: 1, errorRate: 0.06, p50Ms: 1, p95Ms: 2 };
    expect(list).toEqual({
      items: [
        {
          ...quiet,
          ...figures,
          state: "degraded",
          reasons: ["failures", "queue", "credentials"],
          running: 1,
          queued: 2,
          calls: 20,
          lastSuccessAt: "2026-11-23T05:59:59.000Z",
          refusedConnections: ids.slice(0, 100),
          unknownSubmissions: 0,
        },
        {
          ...quiet,
          ...figures,
          segment: "home",
          provider: "home",
          sandbox: false,
          calls: 19,
          unknownSubmissions: 3,
        },
      ],
      at,
    });
  });

  it.each([
    [{ calls: 20, errorRate: 0.05 }, ["failures"]],
    [{ calls: 20, errorRate: 0.049 }, []],
    [{ calls: 19, errorRate: 0.49 }, []],
    [{ calls: 1, errorRate: 0.5 }, ["failures"]],
    [{ calls: 20, errorRate: null }, []],
    [{ queued: 1 }, ["queue"]],
  ])("with %j has the reasons %j", (facts, reasons) => {
    const calm = { breaker: "closed", queued: 0, calls: 0, errorRate: null } as const;
    expect(stateOf({ ...calm, areCredentialsRefused: false, ...facts })).toEqual({
      state: reasons.length === 0 ? "up" : "degraded",
      reasons,
    });
  });
});

it("a difference is listed with its first and last time as instants", () => {
  const difference = {
    segment: "motor",
    endpoint: "quote",
    pointer: "/a",
    kind: "type",
    breaking: true,
    count: 2,
    firstAt: 0,
    lastAt: 1_500,
  } as const;
  expect(driftShown({ items: [difference], complete: false })).toEqual({
    items: [
      { ...difference, firstAt: "1970-01-01T00:00:00.000Z", lastAt: "1970-01-01T00:00:01.500Z" },
    ],
    complete: false,
  });
});
