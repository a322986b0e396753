import { randomUUID } from "node:crypto";
import { Refusal } from "@insurance-gateway/core/runtime";
import { createApplication } from "@insurance-gateway/provider-d";
import { expect, it } from "vitest";
import { requiredScope } from "../../src/callers/permit.ts";
import { configurationSchema } from "../../src/configuration/schema.ts";
import type { IncomingRequest } from "../../src/http/exchange.ts";
import { traceOf } from "../../src/http/trace-context.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import { createPipeline, type PipelineParts } from "../../src/pipeline/pipeline.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";

const { limits } = configurationSchema.parse({
  providers: [{ package: "x", upstream: "sandbox" }],
});

// The caller's rate limit refuses the request, so the test needs no other fields of the route.
const route = {
  endpoint: createApplication,
  name: "createApplication",
  segment: "provider-d",
  scope: requiredScope("provider-d", "submission"),
  limitCaller() {
    throw new Refusal("RATE_LIMITED", { detail: "Too many." }, new Error("first"));
  },
} as Partial<ProviderRoute> as ProviderRoute;

it("the gateway answers a refused request with the outcome `unknown` if the earlier answer cannot be decrypted", async () => {
  const failures: unknown[] = [];
  const parts: Partial<PipelineParts> = {
    authenticate: async () => ({ issuer: "", subject: "", tenant: null, scopes: null }),
    pages: () => "https://gateway.example/insurance/reference/errors/",
    logger: createLogger({ write: (line) => void failures.push(JSON.parse(line)) }),
    shedding: { admit() {} },
    submissions: {
      pseudonym: () => null,
      async refused() {
        throw new Error("second");
      },
      async submit() {
        throw new TypeError("It is not sent");
      },
    },
    tenants: {
      admit() {},
      find: () => "default",
      accountOf: () => "default",
    } as Partial<PipelineParts["tenants"]> as PipelineParts["tenants"],
  };
  // A refused request uses no other parts of the pipeline.
  const pipeline = createPipeline(parts as PipelineParts);
  const headers = { host: "gateway.example", "idempotency-key": '"k1"' };
  // A request that is refused before the gateway reads the body uses no other fields of the exchange.
  const exchange = {
    id: randomUUID(),
    head: {
      method: "POST",
      url: "/insurance/provider-d/applications",
      httpVersion: "1.1",
      headers,
      rawHeaders: Object.entries(headers).flat(),
      headersDistinct: { host: [headers.host], "idempotency-key": [headers["idempotency-key"]] },
    },
    begunAt: 0,
    waitedMs: 0,
    trace: traceOf({}),
    address: () => "127.0.0.1",
    waits: {},
  } as unknown as IncomingRequest;
  const settings = { findRoute: () => ({ route, params: {} }), limits, reference: null };
  const { answer, facts } = await pipeline.handle(exchange, settings);
  const { content, status } = answer;
  expect(status).toBe(500);
  expect(JSON.parse(String(content))).toMatchObject({
    type: "https://gateway.example/insurance/reference/errors/INTERNAL_ERROR",
    code: "INTERNAL_ERROR",
    requestId: exchange.id,
    provider: "provider-d",
    outcome: "unknown",
    retry: "same_key",
  });
  expect(facts.problem).toMatchObject({ code: "INTERNAL_ERROR", outcome: "unknown" });
  expect(failures).toHaveLength(2);
});
