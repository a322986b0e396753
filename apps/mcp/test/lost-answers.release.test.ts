import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  application,
  applicationsOf,
  confirmingReply,
  startApplying,
  TOOL,
} from "./harness/applications.ts";
import { startGateway, type TestGateway } from "./harness/gateways.ts";
import { contentOf } from "./harness/mcp-process.ts";

/** A tax number for which the simulated insurer creates the application and never answers. */
const LOST_ANSWER = "000000061";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ submissionMs: 1_000 });
});
afterAll(() => gateway.stop());

describe("submissions without an answer of the insurer", () => {
  it("a submission has the outcome `unknown` if the insurer's answer is lost, and a later call with the same key returns the result", async () => {
    const mcp = await startApplying(gateway, { person: () => confirmingReply });
    mcp.relay.manner = "hide-retry-after";
    const given = application(LOST_ANSWER);
    const result = await mcp.call(TOOL, given);
    expect(result.isError).toBe(true);
    const content = contentOf(result);
    expect(content).toMatchObject({
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
      retry: "same_key",
      message: expect.stringContaining("it may have been carried out"),
      next: expect.stringMatching(
        /same idempotencyKey: it never takes effect twice.*_searchApplications/,
      ),
      submissionId: expect.any(String),
      reconciliation: {
        tool: "provider-d_searchApplications",
        parameters: { clientAfm: { from: "/body/holder/afm" } },
      },
    });
    expect(JSON.stringify(content)).not.toMatch(/000000061|Ελένη|1234/);
    const status = await mcp.call("submission_status", { submissionId: content.submissionId });
    expect(contentOf(status)).toMatchObject({
      submissionId: content.submissionId,
      provider: "provider-d",
      endpoint: "createApplication",
      state: expect.stringMatching(/^(outcome_unknown|succeeded)$/),
    });
    mcp.relay.manner = "pass";
    const settled = contentOf(await mcp.call(TOOL, given));
    expect(settled).toMatchObject({ status: "RECEIVED", holder: { afm: LOST_ANSWER } });
    expect(await applicationsOf(gateway, LOST_ANSWER)).toEqual([settled]);
  });

  it("a tool's answer with the outcome `unknown` names the search for the submission only if the MCP server offers this search", async () => {
    const person = (): typeof confirmingReply => confirmingReply;
    const mcp = await startApplying(gateway, { person, parameters: ["--tool", TOOL] });
    mcp.relay.manner = "hide-retry-after";
    const { body, ...given } = application(LOST_ANSWER);
    // The content differs from that of the submission above: equal content would be the same submission.
    const other = { ...body, holder: { ...Object(body).holder, fullName: "Μαρία Γεωργίου" } };
    const content = contentOf(await mcp.call(TOOL, { ...given, body: other }));
    expect(content.outcome).toBe("unknown");
    expect(content).not.toHaveProperty("reconciliation");
    expect(content.next).not.toContain("_searchApplications");
  });
});

describe("the tool `submission_status`", () => {
  it("`submission_status` accepts only a UUID and reports an unknown submission as not found", async () => {
    const mcp = await startApplying(gateway);
    const unknown = await mcp.call("submission_status", { submissionId: randomUUID() });
    expect(contentOf(unknown)).toMatchObject({ code: "SUBMISSION_NOT_FOUND", outcome: "not_sent" });
    const wrong = await mcp.call("submission_status", { submissionId: "../x" });
    expect(contentOf(wrong)).toMatchObject({
      code: "REQUEST_INVALID",
      errors: [{ pointer: "/submissionId", message: "must be a UUID" }],
    });
    expect(mcp.relay.sent).toHaveLength(1);
  });
});
