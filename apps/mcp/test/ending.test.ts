import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { confirmingReply } from "./harness/applications.ts";
import { connectBoth, type InProcessOptions } from "./harness/in-process.ts";
import { folderWith, installedFiles } from "./harness/installed-providers.ts";
import { startProgram } from "./harness/program-in-process.ts";
import { providerX } from "./harness/provider-x.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

/** A request that the simulated gateway has received and not yet answered. */
interface HeldRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Starts a gateway that answers no request by itself. `next` resolves with the next request, which the test answers.
 */
async function startHoldingGateway() {
  const waiting: ((held: HeldRequest) => void)[] = [];
  const address = await startSimulatedGateway((request, response) => {
    request.resume().once("end", () => waiting.shift()?.({ request, response }));
  });
  return { address, next: () => new Promise<HeldRequest>((resolve) => waiting.push(resolve)) };
}

function answer({ response }: HeldRequest, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end('{"id":"T-1"}');
}

/** Reports whether a promise is fulfilled after some turns of the event loop. */
async function hasEnded(promise: Promise<unknown>): Promise<boolean> {
  let ended = false;
  void promise.then(() => {
    ended = true;
  });
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  return ended;
}

const order = {
  name: "provider-x_orderThing",
  arguments: {
    params: { shelf: 7 },
    body: { name: "Ελένη", born: "1985-06-15" },
    idempotencyKey: "K-1",
  },
};

describe("the MCP server", () => {
  const start = async (serving: Partial<InProcessOptions> = {}) => {
    const gateway = await startHoldingGateway();
    const both = await connectBoth({ provider: providerX, gateway: gateway.address, ...serving });
    return { ...both, gateway };
  };

  it("`finish` withdraws the MCP server's questions to a person and waits until every tool call is answered", async () => {
    const asked = Promise.withResolvers<void>();
    const { client, gateway, server } = await start({
      person: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const held = gateway.next();
    const calls = [
      client.callTool({ name: "provider-x_listThings" }),
      client.callTool(order),
    ] as const;
    await asked.promise;
    const finished = server.finish();
    expect((await calls[1]).structuredContent).toMatchObject({
      code: "NOT_CONFIRMED",
      retry: "same_key",
    });
    expect(await hasEnded(finished)).toBe(false);
    answer(await held);
    expect((await calls[0]).structuredContent).toEqual({ id: "T-1" });
    await finished;
  });

  it("`close` cancels the MCP server's read-only calls and waits for the answers to submissions that were sent", async () => {
    const logged: unknown[] = [];
    const { client, gateway, server } = await start({
      person: async () => confirmingReply,
      log: (_, message, fields) => void logged.push([message, fields?.kind, fields?.status]),
    });
    const first = gateway.next();
    const ordered = client.callTool(order).catch(() => "closed");
    const submission = await first;
    const second = gateway.next();
    const listed = client.callTool({ name: "provider-x_listThings" }).catch(() => "closed");
    const reading = await second;
    const givenUp = once(reading.response, "close");
    const closed = server.close();
    await givenUp;
    expect([reading.response.writableFinished, await hasEnded(closed)]).toEqual([false, false]);
    answer(submission, 201);
    await closed;
    await server.closed;
    expect([await ordered, await listed]).toEqual(["closed", "closed"]);
    expect(logged.at(-1)).toEqual(["answered", "submission", 201]);
  });
});

describe("the program of the MCP server", () => {
  it("the MCP server waits for the answer to a sent submission after SIGTERM, and then exits with 0", async () => {
    const gateway = await startHoldingGateway();
    const declared = JSON.stringify(new URL("harness/provider-x.ts", import.meta.url).href);
    const program = await startProgram({
      folder: folderWith({
        ...installedFiles("provider-x"),
        "node_modules/@insurance-gateway/provider-x/index.js": `export { providerX as provider } from ${declared};`,
      }),
      parameters: ["--allow", "submission", "--confirm", "code"],
      environment: { GATEWAY_TOKEN: "t", GATEWAY_URL: gateway.address },
    });
    const send = (id: number, method: string, params: object): boolean =>
      program.input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const call = (id: number, more: object = {}): boolean =>
      send(id, "tools/call", { ...order, arguments: { ...order.arguments, ...more } });
    send(0, "initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "by hand", version: "1" },
    });
    call(1);
    const code = (): string | undefined =>
      /"confirmation":"([0-9a-f]{32})"/.exec(program.stdout())?.[1];
    while (code() === undefined) await setImmediate();
    const sent = gateway.next();
    call(2, { confirmation: code() });
    const held = await sent;
    program.listener("SIGTERM")();
    expect(await hasEnded(program.ended)).toBe(false);
    answer(held, 201);
    await program.ended;
    expect(program.exitCodes).toEqual([0]);
    expect(program.logged.map(([level, message]) => [level, message])).toEqual([
      ["info", "serving"],
      ["info", "awaits confirmation"],
      [expect.any(String), expect.any(String)],
    ]);
  });
});
