import type { Adapter } from "@insurance-gateway/adapter";
import type { Endpoint, FailureCode, FailureRow, Provider } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { createApplication, providerD, searchApplications } from "@insurance-gateway/provider-d";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ConfiguredFailure, ProviderConfiguration } from "../../src/configuration/file.ts";
import type { Observation } from "../../src/events.ts";
import { createAnswerBudget } from "../../src/insurers/exchange/answer-budget.ts";
import { createInsurer } from "../../src/insurers/insurer.ts";
import { openTransport } from "../../src/insurers/insurer-access.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";

let insurer: Insurer;
beforeAll(async () => {
  insurer = await startInsurer(json(409, { code: "NO" }));
});
afterAll(() => insurer.close());

function row(code: FailureCode): ConfiguredFailure {
  return {
    status: 409,
    media: "application/json",
    at: "/code",
    is: ["NO"],
    code,
    outcome: "rejected",
    why: "The manual.",
  };
}

/** The `failures` rows of the operator, the endpoint, the provider and the adapter. */
interface Rows {
  readonly operator?: readonly ConfiguredFailure[];
  readonly endpoint?: readonly FailureRow[];
  readonly provider?: readonly FailureRow[];
  readonly adapter?: readonly FailureRow[];
}

/** Returns the code of the caller's problem after an error answer of the insurer that the `failures` rows interpret. */
async function codeOf(rows: Rows, asked: "createApplication" | "searchApplications") {
  const adapter: Adapter = {
    name: "x",
    failures: rows.adapter ?? [],
    async call({ kind }, _, send) {
      const acts = kind === "submission";
      const { mediaType, status, ...response } = await send({ method: "POST", path: "/", acts });
      return { type: "refusal", status, mediaType, content: JSON.parse(await response.text()) };
    },
  };
  const failures = rows.endpoint ?? [];
  const endpoints = {
    createApplication: { ...createApplication, failures },
    searchApplications: { ...searchApplications, failures },
  };
  const provider: Provider = { ...providerD, endpoints, failures: rows.provider ?? [] };
  const limits = {
    timeouts: { connectMs: 5_000, totalMs: 10_000, submissionMs: 10_000 },
    answers: { jsonBytes: 1_000, documentBytes: 1_000, staleHours: 0 },
    compare: { except: [] },
  };
  // `createInsurer` needs no other settings.
  const settings = {
    ...limits,
    retries: { attempts: 1, firstWaitMs: 1, longestWaitMs: 1, budgetPercent: 0 },
    bulkhead: { running: 1, queued: 0, queueMs: 1 },
    callerLimit: { requests: 1, windowSeconds: 1 },
    failures: rows.operator ?? [],
  } as unknown as ProviderConfiguration;
  const { baseUrl } = insurer;
  const installed = {
    provider,
    adapter,
    settings,
    folder: "",
    segment: "d",
    upstream: { baseUrl, credentials: [], tls: {} },
    insurerSettings: null,
  };
  const connection = {
    ...limits,
    adapter,
    settings: {},
    baseUrl,
    credentials: [],
    tls: {},
    connections: 1,
    sandbox: true,
  };
  // The argument `true` means a sandbox, which has no circuit breaker.
  const insurers = createInsurer(installed, true, {
    observation: {
      attemptEnded: () => undefined,
      answerUnmatched: () => undefined,
    } as unknown as Observation,
    logger: { error: () => undefined, info: () => undefined, warn: () => undefined },
    received: () => undefined,
    now: () => 0,
    recovered: () => undefined,
    readAccount: async () => null,
    maintainedMs: () => 0,
    answerBudget: createAnswerBudget(() => 1_000_000_000),
    openTransport,
  });
  const upstream = insurers.open(installed, connection, new Map());
  const endpoint: Endpoint = endpoints[asked];
  let waited = -1;
  const called = upstream.call(endpoint, {
    account: "default",
    requestId: "request",
    traceHeaders: {},
    scenario: undefined,
    waited: (milliseconds) => {
      waited = milliseconds;
    },
    input: { params: {}, query: {}, headers: {}, body: {} },
    callerGone: null,
    submissionId: "our-id",
  });
  const error: unknown = await Promise.resolve(called).catch((reason: unknown) => reason);
  expect(waited).toBeGreaterThanOrEqual(0);
  await upstream.close();
  return error instanceof Refusal ? error.code : String(error);
}

it("the operator's `failures` rows have priority over the `failures` rows of the endpoint, the provider and the adapter", async () => {
  const all: Rows = {
    operator: [row("CONFLICT")],
    endpoint: [row("NOT_ALLOWED")],
    provider: [row("INVALID_INPUT")],
    adapter: [row("PROVIDER_REJECTED")],
  };
  const { operator: _operator, ...withoutOperator } = all;
  const { endpoint: _endpoint, ...withoutEndpoint } = withoutOperator;
  const { provider: _provider, ...adapterAlone } = withoutEndpoint;
  const cases = [
    [all, "CONFLICT"],
    [withoutOperator, "NOT_ALLOWED"],
    [withoutEndpoint, "INVALID_INPUT"],
    [adapterAlone, "PROVIDER_REJECTED"],
    [{}, "OUTCOME_UNKNOWN"],
  ] as const;
  for (const [rows, code] of cases) expect(await codeOf(rows, "createApplication")).toBe(code);
});

it("the gateway applies the operator's first matching `failures` row, and applies a row for one endpoint only at this endpoint", async () => {
  const operator: readonly ConfiguredFailure[] = [
    { ...row("NOT_ALLOWED"), endpoint: "searchApplications" },
    row("CONFLICT"),
    row("INVALID_INPUT"),
  ];
  expect(await codeOf({ operator }, "createApplication")).toBe("CONFLICT");
  expect(await codeOf({ operator }, "searchApplications")).toBe("NOT_ALLOWED");
});
