import { createGateway, type Problem } from "@insurance-gateway/core";
import {
  type Advice,
  advicesOf,
  beforeTheRecord,
  type ProblemCode,
  problemCodes,
} from "@insurance-gateway/core/problems";
import { createApplication } from "@insurance-gateway/provider-d";
import { expect, it } from "vitest";
import { type CallContext, errorAnswer } from "../src/calls/failures.ts";
import { application } from "./harness/applications.ts";
import { contentOf } from "./harness/mcp-process.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

const SUBMISSION = "0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";

/** The text that `next` must contain, by outcome and retry advice. */
const saysNext: Readonly<Record<string, RegExp>> = {
  "not_sent safe": /^Nothing was carried out\. Call this same tool again/,
  "not_sent never":
    /^(Do not call it again with the same input|Correct|Tell the person|Check|This idempotencyKey was sent before)/,
  "not_sent after_check": /Find out first.*submission_status/,
  "rejected safe": /^Nothing was carried out\. Call this same tool again/,
  "rejected never": /^Do not call it again with the same input/,
  "unknown same_key": /^Call this same tool again.*same idempotencyKey/,
  "unknown after_check": /Find out first.*submission_status/,
  "unknown never":
    /call this tool again with the input and the idempotencyKey of that call to find out what happened/,
  "executed never": /do not send it again, not even with another idempotencyKey/,
};

const rows = Object.keys(problemCodes)
  .filter((code): code is ProblemCode => code in problemCodes)
  .flatMap((code) => advicesOf(code, true).map((advice) => [code, advice] as const));

function problemOf(code: ProblemCode, advice: Advice): Problem {
  const { status, title } = problemCodes[code];
  const isOpen = advice.outcome === "unknown" && !beforeTheRecord.includes(code);
  return {
    type: `/reference/errors/${code}`,
    title,
    status,
    code,
    detail: "What happened.",
    requestId: "req-1",
    provider: "provider-d",
    ...advice,
    ...(isOpen || advice.retry === "after_check" || advice.outcome === "executed"
      ? { reconciliation: { href: `/submissions/${SUBMISSION}` } }
      : {}),
  };
}

it.each(rows)(
  "the MCP server's answer to a failed call has the outcome and retry advice of the gateway's problem: %s, %o",
  async (code, advice) => {
    const problem = problemOf(code, advice);
    const baseUrl = await startSimulatedGateway((request, response) => {
      request.resume();
      response.writeHead(problem.status, { "content-type": "application/problem+json" });
      response.end(JSON.stringify(problem));
    });
    const client = createGateway({ baseUrl, token: "t" });
    const { body } = Object(application("123456789"));
    const failure: unknown = await client
      .call(createApplication, { body, idempotencyKey: "k-1" })
      .then(() => expect.fail("It succeeded"))
      .catch((error: unknown) => error);
    const facts: CallContext = { acts: true, earlier: "not known", search: null };
    const content = contentOf(errorAnswer(facts, failure).result);

    const { outcome, retry } = advice;
    expect(content).toMatchObject({
      code,
      outcome,
      retry: outcome === "unknown" && retry === "never" ? "after_check" : retry,
      next: expect.stringMatching(saysNext[`${outcome} ${retry}`] ?? /^$/),
    });
    if (retry === "after_check") expect(content.submissionId).toBe(SUBMISSION);
  },
);
