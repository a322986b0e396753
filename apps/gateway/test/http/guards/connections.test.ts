import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConnectionTracker, trackConnections } from "../../../src/http/connections.ts";

let server: Server;
let connections: ConnectionTracker;
let client: Socket;

beforeEach(async () => {
  server = createServer();
  connections = trackConnections(server);
  // The server answers without waiting for the body.
  connections.answerWith((_, response) => void response.end("answered"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  client = connect(port, "127.0.0.1");
});
afterEach(() => {
  client.destroy();
  server.close();
});

const head = "POST / HTTP/1.1\r\nhost: gateway\r\ncontent-length: 4\r\n\r\n";

/** Sends the text of a request; returns the request as soon as the answer has arrived. */
async function requestAnswered(text: string): Promise<IncomingMessage> {
  const request = once(server, "request");
  client.write(text);
  const [[begun]] = await Promise.all([request, once(client, "data")]);
  return begun;
}

describe("the last request of a connection", () => {
  it("the gateway stops tracking an answered request of a connection as soon as the rest of the request's body has arrived", async () => {
    const request = await requestAnswered(`${head}bo`);
    const { socket } = request;
    expect(connections.latest(socket)?.request).toBe(request);
    const closed = once(request, "close");
    client.write("dy");
    await closed;
    expect(connections.latest(socket)).toBeNull();
  });

  it("the gateway still tracks the last request of a connection after an earlier request of the same connection has ended", async () => {
    const first = await requestAnswered(`${head}bo`);
    const second = await requestAnswered(`dy${head}bo`);
    expect(connections.latest(second.socket)?.request).toBe(second);
    expect(first.complete).toBe(true);
    const closed = once(second, "close");
    client.write("dy");
    await closed;
    expect(connections.latest(second.socket)).toBeNull();
  });
});

describe("pipelined requests", () => {
  const get = "GET / HTTP/1.1\r\nhost: gateway\r\n\r\n";
  const answersOf = (text: string): number => text.match(/HTTP\/1\.1 200/g)?.length ?? 0;

  it("pipelined requests wait for the previous answer, and the gateway closes a connection with more than sixteen waiting requests", async () => {
    let text = "";
    client.on("data", (piece) => (text += piece));
    for (const answers of [17, 34]) {
      client.write(get.repeat(17));
      await expect.poll(() => answersOf(text)).toBe(answers);
    }
    const closed = once(client, "close");
    client.write(get.repeat(18));
    await closed;
    expect(answersOf(text)).toBeLessThan(34 + 18);
  });
});

describe("the end of a connection", () => {
  const get = "GET / HTTP/1.1\r\nhost: gateway\r\n\r\n";

  it("the gateway ends a connection immediately, without waiting for another answer, if the last answer is already sent", async () => {
    const [[request, response]] = await Promise.all([once(server, "request"), sendGet()]);
    await expect.poll(() => response.closed).toBe(true);
    expect(connections.latest(request.socket)).toBeNull();
    const closed = once(client.resume(), "close");
    connections.endAfterAnswer({ request, response });
    await closed;
  });

  it("every answer has `connection: close` after the gateway has begun to end all connections", async () => {
    connections.endAfterAnswers();
    const closed = once(client, "close");
    const [text] = await Promise.all([once(client, "data"), sendGet()]);
    expect(String(text)).toMatch(/connection: close/i);
    await closed;
  });

  async function sendGet(): Promise<void> {
    client.write(get);
  }
});
