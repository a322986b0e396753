import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { application, found, newAfm, TOOL, ticked } from "./harness/applications.ts";
import { startGateway, type TestGateway } from "./harness/gateways.ts";
import { type Relay, type Sent, startRelay } from "./harness/relay.ts";
import { type RawProcess, startRaw } from "./raw-process.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

interface Held {
  readonly sent: Sent;
  readonly letGo: () => void;
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

/** A lookup that waits for the gateway's answer. */
async function heldLookup({ relay, write }: Awaited<ReturnType<typeof start>>): Promise<Held> {
  const held = relay.hold();
  write(callTool(1, "provider-a_listBrands"));
  return held;
}

/** A submission that its person has confirmed, and that waits for the gateway's answer. */
async function heldSubmission(
  { next, relay, write }: Awaited<ReturnType<typeof start>>,
  afm: string,
): Promise<Held> {
  write(callTool(2, TOOL, application(afm)));
  const question = await next(({ method }) => method === "elicitation/create");
  const held = relay.hold();
  write({ id: question.id, result: ticked });
  return held;
}

describe("at the end of its input the server", () => {
  it("the server at the end of its input answers its calls, withdraws its questions, and ends", async () => {
    const mcp = await start();
    const { letGo } = await heldLookup(mcp);
    mcp.write(callTool(3, TOOL, application("123456789")));
    await mcp.next(({ method }) => method === "elicitation/create");
    mcp.endInput();
    // The question is answered by the end itself, so the end has been seen.
    const unconfirmed = await mcp.next(({ id }) => id === 3);
    expect(unconfirmed.result?.structuredContent).toMatchObject({
      code: "NOT_CONFIRMED",
      outcome: "unknown",
    });
    letGo();
    const answer = await mcp.next(({ id, method }) => id === 1 && method === undefined);
    expect(answer.result?.structuredContent).toHaveProperty("items");
    expect((await mcp.ended).code).toBe(0);
    expect(mcp.relay.sent).toHaveLength(1);
  });

  it("finishes a submission, and answers it", async () => {
    const mcp = await start();
    const afm = newAfm();
    const { letGo } = await heldSubmission(mcp, afm);
    mcp.endInput();
    letGo();
    const answer = await mcp.next(({ id, result }) => id === 2 && result !== undefined);
    expect(await found(gateway, afm)).toEqual([answer.result?.structuredContent]);
    expect((await mcp.ended).code).toBe(0);
  });
});

describe.each(["SIGTERM", "SIGINT"] as const)("at %s the server", (signal) => {
  it("a signal cancels calls that change nothing, and a submission is finished and its end logged", async () => {
    const mcp = await start();
    const afm = newAfm();
    const submission = await heldSubmission(mcp, afm);
    const lookup = await heldLookup(mcp);
    mcp.kill(signal);
    expect(await lookup.sent.over).toBe("given up");
    submission.letGo();
    expect(await submission.sent.over).toBe("answered");
    const { code, stderr } = await mcp.ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/"kind":"submission","status":201.*"answered"/);
    expect(await found(gateway, afm)).toHaveLength(1);
  });

  it("ends at once when it comes again, and says that a submission may be under way", async () => {
    const mcp = await start();
    const submission = await heldSubmission(mcp, newAfm());
    const lookup = await heldLookup(mcp);
    mcp.kill(signal);
    await lookup.sent.over;
    mcp.kill(signal);
    const { code, stderr } = await mcp.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("ended at once; a submission may be under way");
    expect(await submission.sent.over).toBe("given up");
    submission.letGo();
  });
});
