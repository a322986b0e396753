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

// fault-table.test.ts tests the results of all faults of an insurer.

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

describe("the insurer's texts", () => {
  it("a problem has the insurer's code and declared pointers, but no text of the insurer, because the text may quote the customer", async () => {
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

  it("a `failures` row with the outcome `unknown` sets the code of a read's problem, and leaves a submission `unknown`", () => {
    const of = (endpoint: typeof createApplication | typeof searchApplications): string =>
      refusalOfAnswer(endpoint, { ...answer, row: open, status: 500 }).code;
    expect([of(searchApplications), of(createApplication)]).toEqual([
      "CONFLICT",
      "OUTCOME_UNKNOWN",
    ]);
  });

  it.each([
    ["a proved rejection with a 500 is an answer", 500, rejected, "answered"],
    ["a 500 without proof is a failure", 500, open, "failed"],
    ["an unavailable insurer with a 500 has failed", 500, away, "failed"],
    ["an unavailable insurer with a 422 has answered", 422, away, "answered"],
  ])(
    "a `failures` row determines whether an error answer counts as the insurer's failure: %s",
    (_, status, row, attempt) => {
      const refusal = refusalOfAnswer(searchApplications, { ...answer, row, status });
      expect(refusal.details.attempt).toBe(attempt);
    },
  );
});

it.each([
  ["as long as the insurer says", { "retry-after": "7" }, "7"],
  ["at most a minute", { "retry-after": "3600" }, "60"],
  ["five seconds by default", {}, "5"],
])(
  "the problem of a document that is not ready states when to try again: %s",
  (_, headers, seconds) => {
    const { details } = documentNotReady({ status: 404, headers });
    expect(details.headers).toMatchObject({ "retry-after": seconds });
  },
);
