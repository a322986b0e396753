import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createGateway, type Gateway, memoryKeyStore } from "@insurance-gateway/core";
import { createApplication, type MotorApplication } from "@insurance-gateway/provider-d";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import { type FaultyGateway, startFaultyGateway } from "../harness/faulty-gateway.ts";

let gateway: FaultyGateway;

beforeAll(async () => {
  gateway = await startFaultyGateway();
});
afterEach(() => gateway.insurer.behave(null));
afterAll(() => gateway.stop());

/** Starts a load balancer that forwards every request, and loses the first answer to each request. */
async function startBalancer(): Promise<string> {
  const seen = new Set<string>();
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method = "GET", url = "" } = request;
    const body = await buffer(request);
    const sent = Object.entries(headers).filter(([name]) =>
      /^(authorization|content-type|idempotency-key|prefer)$/.test(name),
    );
    const answer = await fetch(gateway.address + url, {
      method,
      headers: Object.fromEntries(sent) as Record<string, string>,
      body: method === "GET" ? null : body,
    });
    const content = Buffer.from(await answer.arrayBuffer());
    const name = [headers["idempotency-key"], body.toString()].join(" ");
    if (!seen.has(name)) {
      seen.add(name);
      return void response.socket?.resetAndDestroy();
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(content);
  }
  const server = createServer((request, response) => void pass(request, response));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

function connect(address: string): Gateway {
  const client = createGateway({ baseUrl: address, token: gateway.token });
  onTestFinished(() => client.close());
  return client;
}

const newBody = (): MotorApplication => applicationBody() as MotorApplication; // the specification's own

describe("the client behind a load balancer", () => {
  it("the client completes each of 50 submissions exactly once if the load balancer loses every first answer", async () => {
    const client = connect(await startBalancer());
    const before = gateway.records.length;
    for (let count = 0; count < 50; count++) {
      const key = count % 2 === 0 ? {} : { idempotencyKey: `case-${count}` };
      await client.call(createApplication, { body: newBody(), ...key });
    }
    expect(gateway.records.length - before).toBe(50);
  });

  it("two calls of the client with the same body create one application, even if the answer to the first call is lost", async () => {
    const client = connect(gateway.address);
    const body = newBody();
    const before = gateway.records.length;
    await gateway.insurer.behave("execute-then-reset");
    await expect(client.call(createApplication, { body, timeout: 2_500 })).rejects.toMatchObject({
      outcome: "unknown",
    });
    await gateway.insurer.behave(null);
    await expect(client.call(createApplication, { body, timeout: 2_500 })).rejects.toMatchObject({
      outcome: "unknown",
    });
    expect(gateway.records.length - before).toBe(1);
  });

  it("the client reads a submission's state with only the stored idempotency key, and the insurer receives nothing", async () => {
    const client = connect(gateway.address);
    const store = memoryKeyStore();
    const body = newBody();
    const unsent = { key: "case-unsent", provider: "provider-d", endpoint: "POST /applications" };
    const sent = await client.submit(createApplication, { body, key: "case-sent", store });
    await store.add(unsent);
    const before = gateway.insurer.arrivals().length;
    const resumed = await client.resume(store, [createApplication]);
    expect(resumed.map(({ result }) => result)).toMatchObject([
      { key: "case-sent", outcome: "succeeded", submissionId: sent.submissionId },
      { key: "case-unsent", outcome: "not_sent", retry: "same_key" },
    ]);
    expect(gateway.insurer.arrivals()).toHaveLength(before);
  });
});
