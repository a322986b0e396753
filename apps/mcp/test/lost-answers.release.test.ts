import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { application, found, startApplying, TOOL, ticked } from "./harness/applications.ts";
import { startGateway, type TestGateway } from "./harness/gateways.ts";
import { contentOf } from "./harness/mcp-process.ts";

/** The sandbox insurer carries it out, and never answers. */
const LOST_ANSWER = "000000061";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ submissionMs: 1_000 });
});
afterAll(() => gateway.stop());

describe("a submission whose answer the insurer owes", () => {
  it("may have been carried out when its answer is lost, and the same call reports it later", async () => {
    const mcp = await startApplying(gateway, { person: () => ticked });
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
    expect(await found(gateway, LOST_ANSWER)).toEqual([settled]);
  });

  it("names no search that is not offered", async () => {
    const person = (): typeof ticked => ticked;
    const mcp = await startApplying(gateway, { person, parameters: ["--tool", TOOL] });
    mcp.relay.manner = "hide-retry-after";
    const { body, ...given } = application(LOST_ANSWER);
    // Other content than the submission above, which would be the same one.
    const other = { ...body, holder: { ...Object(body).holder, fullName: "Μαρία Γεωργίου" } };
    const content = contentOf(await mcp.call(TOOL, { ...given, body: other }));
    expect(content.outcome).toBe("unknown");
    expect(content).not.toHaveProperty("reconciliation");
    expect(content.next).not.toContain("_searchApplications");
  });
});

describe("the status of a submission", () => {
  it("is found by an id alone, and only the caller's own", async () => {
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
