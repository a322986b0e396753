import { Refusal } from "@insurance-gateway/core/runtime";
import { expect, it } from "vitest";
import type { IncomingRequest } from "../../src/http/exchange.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import { NO_FACTS } from "../../src/pipeline/facts.ts";
import { createPipeline, type PipelineParts } from "../../src/pipeline/pipeline.ts";

const caller = { issuer: "i", subject: "s", tenant: null, scopes: null };
const submission = {
  route: { endpoint: { provider: "provider-d", kind: "submission" } },
  params: {},
};
const read = { route: { endpoint: { provider: "provider-d", kind: "read" } }, params: {} };
const own = { route: { template: "/providers" }, params: {} };

/** The facts about a request that the gateway needs to find the submission with the same key. */
const known = { caller, found: submission, account: "north" };

interface Refused {
  readonly status: number;
  readonly outcome: string;
  /** The store's queries for earlier submissions with the same key. */
  readonly asked: readonly unknown[];
  readonly log: readonly unknown[];
}

/** Refuses a request with a key, and returns the answer, the store's queries and the log. */
async function refuse(
  code: "NOT_FOUND" | "FORBIDDEN" | "INTERNAL_ERROR" | "STORE_UNAVAILABLE" | "VALIDATION_FAILED",
  facts: object,
  {
    headers = {},
    method = "POST",
    stored,
    cause,
  }: { headers?: object; method?: string; stored?: unknown; cause?: unknown } = {},
): Promise<Refused> {
  const asked: unknown[] = [];
  const log: unknown[] = [];
  const pipeline = createPipeline({
    pages: () => "https://gateway.example/reference/errors/",
    logger: createLogger({
      write(line) {
        const { failure, msg, requestId } = JSON.parse(line);
        log.push([requestId, failure.kind, msg]);
      },
    }),
    submissions: {
      async refused(refusal: Refusal, request: object) {
        asked.push(request);
        if (stored instanceof Error) throw stored;
        return stored ?? refusal;
      },
    },
    // A refusal uses no other part of the pipeline.
  } as unknown as PipelineParts);
  const exchange = {
    id: "0b0f3a52-9d0c-4e5b-8f10-123456783abc",
    begunAt: 0,
    head: { method, headersDistinct: { "idempotency-key": ["key-1"], ...headers } },
    waits: {},
    // A refusal reads only these fields of a request.
  } as unknown as IncomingRequest;
  const refusal = new Refusal(code, { detail: "Words." }, cause);
  const before = { ...NO_FACTS, limits: { ratelimit: "one" }, ...facts };
  const { answer, facts: known } = await pipeline.refuse(refusal, exchange, before);
  const { content, headers: sent, status } = answer;
  expect(sent).toMatchObject({ ratelimit: "one" });
  expect(known.problem).toMatchObject({ outcome: JSON.parse(String(content)).outcome });
  return { status, outcome: JSON.parse(String(content)).outcome, asked, log };
}

const outcomes: readonly (readonly [string, Parameters<typeof refuse>, "not_sent" | "unknown"])[] =
  [
    [
      "a request without a key",
      ["NOT_FOUND", {}, { headers: { "idempotency-key": undefined } }],
      "not_sent",
    ],
    ["a method without submissions", ["NOT_FOUND", {}, { method: "GET" }], "not_sent"],
    ["an unknown caller", ["NOT_FOUND", { found: submission }], "unknown"],
    ["an unknown route", ["NOT_FOUND", { caller }], "unknown"],
    [
      "one of the gateway's own routes",
      ["VALIDATION_FAILED", { ...known, found: own }],
      "not_sent",
    ],
    ["a call that changes nothing", ["VALIDATION_FAILED", { ...known, found: read }], "not_sent"],
    ["a missing scope", ["FORBIDDEN", known], "unknown"],
    [
      "a tenant without an account",
      ["VALIDATION_FAILED", { caller, found: submission }],
      "unknown",
    ],
    ["a failed submission", ["INTERNAL_ERROR", { ...known, isSubmitted: true }], "unknown"],
    ["a submission", ["VALIDATION_FAILED", { ...known, isSubmitted: true }], "not_sent"],
    [
      "two keys",
      ["VALIDATION_FAILED", known, { headers: { "idempotency-key": ["a", "b"] } }],
      "not_sent",
    ],
  ];

it.each(outcomes)(
  "the gateway refuses a request without a store query, and reports the outcome of the request: %s",
  async (_, given, outcome) => {
    expect(await refuse(...given)).toMatchObject({ outcome, asked: [], log: [] });
  },
);

it.each([
  ["VALIDATION_FAILED", known],
  ["INTERNAL_ERROR", { ...known, isSubmitted: false }],
  ["STORE_UNAVAILABLE", { ...known, isSubmitted: true }],
] as const)(
  "the refusal of a request with the code %s reports the state of the submission with the same idempotency key",
  async (code, facts) => {
    const asked = [{ route: submission.route, caller, account: "north", key: "key-1" }];
    expect(await refuse(code, facts)).toMatchObject({ outcome: "not_sent", asked, log: [] });
    const stored = {
      status: 201,
      headers: {},
      content: '{"outcome":"executed"}',
      problem: { code: "CONFLICT", outcome: "executed" },
    };
    expect(await refuse(code, facts, { stored })).toEqual({
      status: 201,
      outcome: "executed",
      asked,
      log: [],
    });
  },
);

it("a refused submission has an `unknown` outcome if the lookup of its idempotency key fails", async () => {
  const { log, outcome, status } = await refuse("VALIDATION_FAILED", known, {
    stored: new TypeError("fault"),
    cause: new RangeError("first"),
  });
  expect({ log, outcome, status }).toEqual({
    log: ["RangeError", "TypeError"].map((kind) => [
      "0b0f3a52-9d0c-4e5b-8f10-123456783abc",
      kind,
      "failed",
    ]),
    outcome: "unknown",
    status: 500,
  });
});
