import { afterAll, beforeAll, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, problem, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

/**
 * The codes of an insurer, each with the gateway's code for callers and the statuses with which the code proves a
 * rejection. The contract does not have the code `toString`.
 */
const documented: ReadonlyMap<string, readonly [code: string, ...statuses: number[]]> = new Map([
  ["VALIDATION_FAILED", ["PROVIDER_REJECTED", 400, 422]],
  ["PROVIDER_REJECTED", ["PROVIDER_REJECTED", 400, 422]],
  ["INVALID_REQUEST", ["PROVIDER_REJECTED", 400]],
  ["BROKER_LIMIT_EXCEEDED", ["BROKER_LIMIT_EXCEEDED", 422]],
  ["DUPLICATE_APPLICATION", ["DUPLICATE_APPLICATION", 409]],
  ["APPLICATION_NOT_FOUND", ["APPLICATION_NOT_FOUND", 404]],
  ["DOCUMENT_NOT_READY", ["DOCUMENT_NOT_READY", 409]],
  ["RATE_LIMITED", ["PROVIDER_UNAVAILABLE", 429]],
  ["PROVIDER_UNAVAILABLE", ["PROVIDER_UNAVAILABLE", 503]],
  ["toString", ["OUTCOME_UNKNOWN"]],
]);
const statuses = [400, 404, 409, 422, 429, 500, 502, 503];

let gateway: GatewayInProcess;
let insurer: Insurer;
beforeAll(async () => {
  insurer = await startInsurer(() => {});
  const breaker = { failuresInRow: 10_000, minCalls: 10_000 };
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), breaker };
  gateway = await startInProcess({ providers: [provider] });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

it.each([...documented.keys()])(
  "an insurer's answer with the code %s proves a rejection only if the answer has the documented status",
  async (code) => {
    const [as, ...own] = documented.get(code) ?? [""];
    for (const status of statuses) {
      insurer.behaviour = problem(status, code);
      const answer = await problemIn(await submitApplication(gateway, applicationBody()));
      const isOwn = own.includes(status);
      expect([status, answer.code, answer.outcome]).toEqual([
        status,
        isOwn ? as : "OUTCOME_UNKNOWN",
        isOwn ? "rejected" : "unknown",
      ]);
    }
  },
);
