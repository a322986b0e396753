import { type PublishedEnvelope, publishedDialect } from "@insurance-gateway/adapter";
import {
  defineProvider,
  type Endpoint,
  type Read,
  read,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import type { Refusal } from "@insurance-gateway/core/runtime";
import { loose } from "@insurance-gateway/core/schema";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { speakTo } from "./speaking.ts";

const provider = "provider-x";
const anything = loose<object>({});
const readPolicy: Read<{ response: object }> = read({
  provider,
  path: "/policy",
  response: { 200: anything },
});
const readPlain: Read<{ response: object }> = read({
  provider,
  path: "/plain",
  response: { 200: anything },
});
const issuePolicy: Submission<{ response: object }> = submission({
  provider,
  path: "/policies",
  response: { 200: anything },
  idempotency: "none",
});
const providerX = defineProvider({
  id: provider,
  name: "Provider X",
  lines: [],
  endpoints: { readPolicy, readPlain, issuePolicy },
});

let insurer: Insurer;
let answer: object;
beforeAll(async () => {
  insurer = await startInsurer((response, arrival) => json(200, answer)(response, arrival));
});
afterAll(() => insurer.close());

async function call(
  endpoint: Endpoint,
  envelope: PublishedEnvelope,
  answered: object,
): Promise<UpstreamAnswer | Refusal> {
  answer = answered;
  const adapter = publishedDialect(providerX, {
    envelope,
    calls: { readPlain: { envelope: false } },
    failures: [
      {
        status: 200,
        at: "/error/code",
        is: ["E17"],
        code: "PROVIDER_REJECTED",
        outcome: "rejected",
        why: "The insurer's document says that nothing was issued.",
      },
    ],
  });
  const speaking = speakTo(insurer.baseUrl, adapter);
  onTestFinished(() => speaking.close());
  return speaking.call(endpoint, {});
}

const flag: PublishedEnvelope = { at: "/success", success: [true] };
const isSuccess = { status: 200 };
const isUnknown = { code: "OUTCOME_UNKNOWN", facts: { outcome: "unknown" } };

describe("answers with status 200 in an envelope", () => {
  it.each([
    ["a flag", flag, { success: true, data: {} }],
    ["a status", { at: "/status", success: ["OK", "WARNING"] }, { status: "WARNING" }],
    ["a number", { at: "/head/code", success: [0] }, { head: { code: 0 } }],
    ["an error that is null", { at: "/error", success: [null] }, { error: null }],
    ["an error that is missing", { at: "/error", success: [null] }, { data: {} }],
    ["a list of errors that is empty", { at: "/errors", success: [null] }, { errors: [] }],
  ])(
    "an insurer's answer with status 200 is a success if its envelope has a declared success value: %s",
    async (_, envelope, answered) => {
      expect(await call(issuePolicy, envelope, answered)).toMatchObject(isSuccess);
    },
  );

  it.each([
    ["a false flag", flag, { success: false, error: { code: "E1" } }],
    ["a missing flag", flag, { data: {} }],
    ["a flag of another type", flag, { success: "true" }],
    ["a status that is not declared", { at: "/status", success: ["OK"] }, { status: "PARTIAL" }],
    ["an error", { at: "/error", success: [null] }, { error: {} }],
    ["a list of errors", { at: "/errors", success: [null] }, { errors: [{}] }],
  ])(
    "a submission has an unknown outcome if the envelope of the insurer's answer has %s",
    async (_, envelope, answered) => {
      expect(await call(issuePolicy, envelope, answered)).toMatchObject(isUnknown);
    },
  );

  it("an insurer's answer with status 200 is a rejection if the provider's `failures` define the error code in the envelope", async () => {
    const answered = { success: false, error: { code: "E17" } };
    const refused = { code: "PROVIDER_REJECTED", facts: { outcome: "rejected" } };
    expect(await call(issuePolicy, flag, answered)).toMatchObject(refused);
    expect(await call(readPolicy, flag, answered)).toMatchObject(refused);
  });

  it("the gateway answers `PROVIDER_BAD_RESPONSE` to a read if the insurer's envelope reports an unknown error", async () => {
    expect(await call(readPolicy, flag, { success: false })).toMatchObject({
      code: "PROVIDER_BAD_RESPONSE",
      details: {
        detail:
          "The insurer answered with status 200 and marked its answer as an error, which no row of `failures` interprets.",
      },
    });
  });

  it("the gateway requires no envelope if the endpoint is declared without an envelope", async () => {
    expect(await call(readPlain, flag, { premium: 1 })).toMatchObject(isSuccess);
  });
});
