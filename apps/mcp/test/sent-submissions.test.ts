import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  application,
  confirmed,
  found,
  NAME,
  newAfm,
  PLATE,
  startApplying,
  TOOL,
  ticked,
} from "./harness/applications.ts";
import { startGateway, type TestGateway } from "./harness/gateways.ts";
import { contentOf, type Start } from "./harness/mcp-process.ts";

/** The sandbox insurer carries it out, and never answers. */
const LOST_ANSWER = "000000061";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const start = (person?: Start["person"]): ReturnType<typeof startApplying> =>
  startApplying(gateway, person);

describe("a submission that was sent", () => {
  it("is finished when the call is cancelled", async () => {
    const mcp = await start(() => ticked);
    const afm = newAfm();
    const cancel = new AbortController();
    const held = mcp.relay.hold();
    const call = mcp.call(TOOL, application(afm), cancel.signal);
    const { letGo, sent } = await held;
    cancel.abort();
    await expect(call).rejects.toThrow();
    letGo();
    expect(await sent.over).toBe("answered");
    expect(await found(gateway, afm)).toHaveLength(1);
  });

  it("is finished, and its end logged, when the client goes away; what changes nothing is given up", async () => {
    const mcp = await start(() => ticked);
    const afm = newAfm();
    const heldSubmission = mcp.relay.hold();
    const submission = mcp.call(TOOL, application(afm));
    const { letGo, sent } = await heldSubmission;
    const heldLookup = mcp.relay.hold();
    const lookup = mcp.call("provider-a_listBrands");
    const { sent: sentLookup } = await heldLookup;
    const log = mcp.log();
    expect(await sentLookup.over).toBe("given up");
    letGo();
    expect(await sent.over).toBe("answered");
    expect(await log).toMatch(/"kind":"submission","status":201.*"answered"/);
    await expect(submission).rejects.toThrow();
    await expect(lookup).rejects.toThrow();
    expect(await found(gateway, afm)).toHaveLength(1);
  });

  it("may have been carried out when its answer is lost, and the same call tells later", async () => {
    const mcp = await start(() => ticked);
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
        /same idempotencyKey: that never sends twice.*_searchApplications/,
      ),
      submissionId: expect.any(String),
      lookup: {
        tool: "provider-d_searchApplications",
        parameters: { clientAfm: { from: "/holder/afm" } },
      },
    });
    expect(JSON.stringify(content)).not.toMatch(/000000061|Ελένη|1234/);
    mcp.relay.manner = "pass";
    const settled = contentOf(await mcp.call(TOOL, given));
    expect(settled).toMatchObject({ status: "RECEIVED", holder: { afm: LOST_ANSWER } });
    expect(await found(gateway, LOST_ANSWER)).toEqual([settled]);
  });

  it("may have been carried out when the connection to the gateway breaks", async () => {
    const mcp = await start(() => ticked);
    mcp.relay.manner = "lose";
    const afm = newAfm();
    const given = application(afm);
    const content = contentOf(await mcp.call(TOOL, given));
    expect(content).toMatchObject({
      code: "CONNECTION_FAILED",
      outcome: "unknown",
      retry: "same_key",
    });
    mcp.relay.manner = "pass";
    expect(await found(gateway, afm)).toEqual([contentOf(await mcp.call(TOOL, given))]);
  });

  it("leaves nothing of its customer in the log", async () => {
    const mcp = await start();
    const given = application("123456789");
    await confirmed(mcp, given);
    await confirmed(mcp, application("000000048"));
    await mcp.call("provider-d_searchApplications", { query: { clientAfm: "123456789" } });
    await mcp.call(TOOL, { ...given, holder: NAME, [PLATE]: PLATE });
    await expect(mcp.call(`no_${NAME}`)).rejects.toThrow();
    const log = await mcp.log();
    expect(log.match(/"answered"|"failed"|"awaits confirmation"/g)).toHaveLength(6);
    for (const canary of [
      "123456789",
      "000000048",
      NAME,
      "Ελένη",
      "1234",
      given.idempotencyKey,
      gateway.token,
    ])
      expect(log).not.toContain(canary);
  });
});
