import type { FailureRow } from "@insurance-gateway/core/contract";
import { documentNotReady, refusalOfAnswer } from "@insurance-gateway/core/runtime";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, problem, startInsurer } from "../harness/insurer.ts";

// fault-table.test.ts has the result of each fault of an insurer.

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer(problem(422, "PROVIDER_REJECTED"));
  gateway = await startInProcess({ providers: [insurerConfiguration("d", insurer.baseUrl)] });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

describe("an insurer's own words", () => {
  it("are not passed on: its code and pointers are, its texts may quote the customer", async () => {
    insurer.behaviour = problem(422, "PROVIDER_REJECTED", {
      detail: "Μαρία 123456789 is bad",
      errors: [
        { pointer: "/vehicle/modelCode", message: "YARIS unknown" },
        { pointer: "/123456789", message: "x" },
      ],
    });
    const text = await (await submitApplication(gateway, applicationBody())).text();
    expect(JSON.parse(text)).toMatchObject({
      errors: [
        { pointer: "/vehicle/modelCode", code: "INVALID", message: "was refused by the insurer" },
      ],
    });
    for (const words of ["Μαρία", "123456789", "YARIS"]) expect(text).not.toContain(words);
  });
});

describe("a row of `failures`", () => {
  const answer = {
    faults: [],
    retryAfterSeconds: null,
    isForeign: false,
    stage: "acting",
  } as const;
  const rejected: FailureRow = { status: 500, code: "CONFLICT", outcome: "rejected", why: "test" };
  const open: FailureRow = { ...rejected, outcome: "unknown" };
  const away: FailureRow = { ...rejected, code: "PROVIDER_UNAVAILABLE" };

  it("a row of `failures` sets the outcome of a read also if it proves nothing; a submission's stays unknown", () => {
    const of = (endpoint: typeof createApplication | typeof searchApplications): string =>
      refusalOfAnswer(endpoint, { ...answer, row: open, status: 500 }).code;
    expect([of(searchApplications), of(createApplication)]).toEqual([
      "CONFLICT",
      "OUTCOME_UNKNOWN",
    ]);
  });

  it.each([
    ["a proved refusal is an answer, as SOAP has it", 500, rejected, "answered"],
    ["one that proves nothing is a failure", 500, open, "failed"],
    ["an insurer that is not available has failed", 500, away, "failed"],
    ["an insurer that says so with a 4xx has answered", 422, away, "answered"],
  ])("a row for a 500 reports its meaning to the breaker: %s", (_, status, row, attempt) => {
    const refusal = refusalOfAnswer(searchApplications, { ...answer, row, status });
    expect(refusal.details.attempt).toBe(attempt);
  });
});

it.each([
  ["as long as the insurer says", { "retry-after": "7" }, "7"],
  ["a minute at most", { "retry-after": "3600" }, "60"],
  ["a little, where it says nothing", {}, "5"],
])("a document that is not ready is waited for %s", (_, headers, seconds) => {
  const { details } = documentNotReady({ status: 404, headers });
  expect(details.headers).toMatchObject({ "retry-after": seconds });
});
