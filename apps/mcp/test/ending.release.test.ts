import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  application,
  applicationsOf,
  confirmingReply,
  newAfm,
  TOOL,
} from "./harness/applications.ts";
import { startGateway, type TestGateway } from "./harness/gateways.ts";
import { type Relay, type RelayedRequest, startRelay } from "./harness/relay.ts";
import { type RawProcess, startRaw } from "./raw-process.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

interface Held {
  readonly sent: RelayedRequest;
  readonly release: () => void;
}

async function start(): Promise<RawProcess & { readonly relay: Relay }> {
  const relay = await startRelay(gateway.address);
  const parameters = ["--allow", "submission"];
  return { ...(await startRaw({ ...gateway, gateway: relay.address, parameters })), relay };
}

const callTool = (id: number, name: string, given: object = {}): object => ({
  id,
  method: "tools/call",
  params: { name, arguments: given },
});

/** Starts a lookup and returns its request, which waits at the relay before the gateway. */
async function heldLookup({ relay, write }: Awaited<ReturnType<typeof start>>): Promise<Held> {
  const held = relay.hold();
  write(callTool(1, "provider-a_listBrands"));
  return held;
}

/**
 * Starts a submission, confirms the submission as the person, and returns its request, which waits at the relay before
 * the gateway.
 */
async function heldSubmission(
  { next, relay, write }: Awaited<ReturnType<typeof start>>,
  afm: string,
): Promise<Held> {
  write(callTool(2, TOOL, application(afm)));
  const question = await next(({ method }) => method === "elicitation/create");
  const held = relay.hold();
  write({ id: question.id, result: confirmingReply });
  return held;
}

describe("the MCP server after the end of its input", () => {
  it("the MCP server answers running calls, withdraws open questions to a person and then stops, if its input ends", async () => {
    const mcp = await start();
    const { release } = await heldLookup(mcp);
    mcp.write(callTool(3, TOOL, application("123456789")));
    await mcp.next(({ method }) => method === "elicitation/create");
    mcp.endInput();
    // The answer to the withdrawn question shows that the server has noticed the end of its input.
    const unconfirmed = await mcp.next(({ id }) => id === 3);
    expect(unconfirmed.result?.structuredContent).toMatchObject({
      code: "NOT_CONFIRMED",
      outcome: "unknown",
    });
    release();
    const answer = await mcp.next(({ id, method }) => id === 1 && method === undefined);
    expect(answer.result?.structuredContent).toHaveProperty("items");
    expect((await mcp.ended).code).toBe(0);
    expect(mcp.relay.sent).toHaveLength(1);
  });

  it("the MCP server completes and answers a running submission even if its input ends", async () => {
    const mcp = await start();
    const afm = newAfm();
    const { release } = await heldSubmission(mcp, afm);
    mcp.endInput();
    release();
    const answer = await mcp.next(({ id, result }) => id === 2 && result !== undefined);
    expect(await applicationsOf(gateway, afm)).toEqual([answer.result?.structuredContent]);
    expect((await mcp.ended).code).toBe(0);
  });
});

describe.each(["SIGTERM", "SIGINT"] as const)("the MCP server after %s", (signal) => {
  it("the MCP server cancels read-only calls after a signal, but completes a running submission and logs the result", async () => {
    const mcp = await start();
    const afm = newAfm();
    const submission = await heldSubmission(mcp, afm);
    const lookup = await heldLookup(mcp);
    mcp.kill(signal);
    expect(await lookup.sent.over).toBe("given up");
    submission.release();
    expect(await submission.sent.over).toBe("answered");
    const { code, stderr } = await mcp.ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/"kind":"submission","status":201.*"answered"/);
    expect(await applicationsOf(gateway, afm)).toHaveLength(1);
  });

  it("a second signal stops the MCP server at once, and the log warns about the running submission", async () => {
    const mcp = await start();
    const submission = await heldSubmission(mcp, newAfm());
    const lookup = await heldLookup(mcp);
    mcp.kill(signal);
    await lookup.sent.over;
    mcp.kill(signal);
    const { code, stderr } = await mcp.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("ended immediately; a submission may be in progress");
    expect(await submission.sent.over).toBe("given up");
    submission.release();
  });
});
