import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  application,
  applicationsOf,
  confirmingReply,
  NAME,
  newAfm,
  PLATE,
  startApplying,
  submitWithCode,
  TOOL,
} from "./harness/applications.ts";
import { startGateway, type TestGateway } from "./harness/gateways.ts";
import { contentOf, type McpStartOptions } from "./harness/mcp-process.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const start = (person?: McpStartOptions["person"]): ReturnType<typeof startApplying> =>
  startApplying(gateway, person === undefined ? undefined : { person });

describe("submissions that were sent", () => {
  it("the MCP server completes a submission that was sent, even if the client cancels the call", async () => {
    const mcp = await start(() => confirmingReply);
    const afm = newAfm();
    const cancel = new AbortController();
    const held = mcp.relay.hold();
    const call = mcp.call(TOOL, application(afm), cancel.signal);
    const { release, sent } = await held;
    cancel.abort();
    await expect(call).rejects.toThrow();
    release();
    expect(await sent.over).toBe("answered");
    expect(await applicationsOf(gateway, afm)).toHaveLength(1);
  });

  it("a submission has the outcome `unknown` if the connection to the gateway breaks, and a repeated call returns the result", async () => {
    const mcp = await start(() => confirmingReply);
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
    expect(await applicationsOf(gateway, afm)).toEqual([contentOf(await mcp.call(TOOL, given))]);
  });

  it("the MCP server's log contains no data of the customer, no idempotency key and no token", async () => {
    const mcp = await start();
    const given = application("123456789");
    await submitWithCode(mcp, given);
    await submitWithCode(mcp, application("000000048"));
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
