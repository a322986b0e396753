import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRaw, type RawAnswer, type RawConnection } from "../../harness/send-raw.ts";
import { startOperationsServer } from "../../operator/operations/operations-server.ts";
import { startHeldListener } from "./held-listener.ts";
import { type LimitedGateway, startLimited } from "./limited-gateway.ts";
import { ask, LENGTH, lookup, QUOTE, quote } from "./raw-case.ts";

/** The size of the caller's body in bytes: far more than the system buffers between two sockets. */
const BODY_BYTES = 200_000_000;
/** Maximum number of bytes of the body that the gateway and the buffers of both sockets may accept. */
const TAKEN_BYTES = 40_000_000;

const LARGE = `content-length: ${BODY_BYTES}`;
const CHUNKS = "transfer-encoding: chunked";
const piece = Buffer.alloc(65_536, "x");
const chunk = Buffer.concat([Buffer.from("10000\r\n"), piece, Buffer.from("\r\n")]);

let gateway: LimitedGateway;
beforeAll(async () => {
  gateway = await startLimited({});
});
afterAll(() => gateway.stop());

/** Sends a body until the gateway ends the connection; returns the answer, and the number of accepted bytes. */
async function flood(
  connection: RawConnection,
  bytes: Uint8Array,
): Promise<{ readonly answer: RawAnswer | null; readonly taken: number }> {
  const { socket } = connection;
  const answer = connection.answer();
  // Like most HTTP clients, this test closes the connection as soon as the gateway has ended its side.
  socket.once("end", () => socket.destroy());
  while (socket.writable && socket.bytesWritten < BODY_BYTES)
    if (!socket.write(bytes))
      await Promise.race([
        new Promise((resolve) => socket.once("drain", resolve)),
        connection.ended,
      ]);
  await connection.ended;
  return { answer: await answer, taken: socket.bytesWritten - socket.writableLength };
}

async function expectRefused(
  connection: RawConnection,
  status: number,
  bytes: Uint8Array = piece,
): Promise<void> {
  const { answer, taken } = await flood(connection, bytes);
  expect([answer?.status, answer?.headers.connection?.toLowerCase()]).toEqual([status, "close"]);
  expect(taken).toBeLessThan(TAKEN_BYTES);
}

describe("the body of a request that is answered early", () => {
  const stranger = (request: string): string => request.replace("{token}", "x");
  it.each([
    ["without a valid token", stranger(quote("", LARGE)), 401, piece],
    ["without a valid token, in chunks", stranger(quote("", CHUNKS)), 401, chunk],
    ["to an unknown path", quote("", LARGE).replace("/life", "/no"), 404, piece],
    ["with another method", quote("", CHUNKS).replace("POST", "DELETE"), 405, chunk],
    ["with an announced body that is too large", quote("", LARGE), 413, piece],
    ["with a body that turns out to be too large", quote("", CHUNKS), 413, chunk],
    ["of another type", quote("", LARGE).replace("/json", "/xml"), 415, piece],
    ["that two readers could understand differently", quote("", LARGE, "upgrade: h2c"), 400, piece],
    ["to an endpoint without a body", lookup(LARGE), 400, piece],
    ["whose headers are too large", quote("", `x: ${"y".repeat(17_000)}`, LARGE), 431, piece],
    ["that is not HTTP", "no HTTP\r\n\r\n", 400, piece],
    ["with CONNECT", ask("x:80", "CONNECT"), 405, piece],
  ])(
    "the gateway answers before the whole body has arrived, and reads no more of the body of a request %s",
    async (_, request, status, bytes) => {
      await expectRefused(await gateway.begin(request), status, bytes);
    },
  );

  it("the gateway reads no more of a request body after a successful answer that did not need the body", async () => {
    const listener = await startHeldListener();
    const connection = await openRaw(listener.address);
    connection.send(`GET /now HTTP/1.1\r\nhost: x\r\n${LARGE}\r\n\r\n`);
    await expectRefused(connection, 200);
    await listener.drain();
  });

  it("the gateway reads no more of the body of a refused request over TLS", async () => {
    const { cert, private: key } = await generate([{ name: "commonName", value: "gateway" }]);
    const listener = await startHeldListener({ tls: { certificate: cert, key } });
    for (const [request, status] of [
      [`POST /refused HTTP/1.1\r\nhost: x\r\n${LARGE}\r\n\r\n`, 400],
      ["no HTTP\r\n\r\n", 400],
    ] as const) {
      const connection = await openRaw(listener.address);
      connection.send(request);
      await expectRefused(connection, status);
    }
    await listener.drain();
  });

  it("the operations address reads no more of the body of a refused request", async () => {
    const operations = await startOperationsServer();
    const connection = await openRaw(operations.address);
    connection.send(`POST /metrics HTTP/1.1\r\nhost: localhost\r\n${LARGE}\r\n\r\n`);
    await expectRefused(connection, 405);
    await operations.close();
  });

  it("the gateway reads the body of a refused request, and keeps the connection open, if the body has at most 64 kB", async () => {
    const connection = await gateway.begin(stranger(quote("", "content-length: 65536")));
    expect((await connection.answer())?.status).toBe(401);
    connection.send("x".repeat(65_536));
    connection.send(gateway.fill(lookup()));
    expect((await connection.answer())?.status).toBe(200);
    connection.socket.destroy();
  });

  it("the gateway carries out no request that follows the unread body of a refused request", async () => {
    const before = gateway.insurer.arrivals.length;
    const connection = await gateway.begin(stranger(quote(`5\r\nabcde\r\n`, CHUNKS)));
    expect((await connection.answer())?.status).toBe(401);
    connection.send(gateway.fill(`0\r\n\r\n${lookup()}`));
    expect(await connection.answer()).toBeNull();
    expect(gateway.insurer.arrivals).toHaveLength(before);
  });
});

describe("100 Continue", () => {
  const EXPECT = "expect: 100-continue";
  /** Returns the statuses of all answers, including interim answers. */
  async function statuses(connection: RawConnection): Promise<readonly string[]> {
    let text = "";
    connection.socket.on("data", (bytes: string) => {
      text += bytes;
      if (text.endsWith("100 Continue\r\n\r\n")) connection.send(QUOTE);
    });
    await connection.answer();
    return text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
  }

  it("the gateway sends 100 Continue as soon as it begins to read a request body, and keeps the connection open after the answer", async () => {
    const connection = await gateway.begin(quote("", LENGTH, EXPECT));
    expect(await statuses(connection)).toEqual(["100", "200"]);
    connection.send(gateway.fill(lookup()));
    expect((await connection.answer())?.status).toBe(200);
    connection.socket.destroy();
  });

  it.each([
    ["401", quote("", LENGTH, EXPECT).replace("{token}", "x")],
    ["404", quote("", LENGTH, EXPECT).replace("/life", "/no")],
    ["413", quote("", LARGE, EXPECT)],
    ["415", quote("", LENGTH, EXPECT).replace("/json", "/xml")],
  ])(
    "the gateway refuses a request with the expectation 100-continue without sending 100 Continue, and ends the connection: %s",
    async (status, request) => {
      const connection = await gateway.begin(request);
      expect(await statuses(connection)).toEqual([status]);
      await connection.ended;
    },
  );
});
