import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRaw } from "../../harness/send-raw.ts";
import { startHeldListener } from "./held-listener.ts";
import { detailOf, type LimitedGateway, startLimited } from "./limited-gateway.ts";
import { lookup, QUOTE, quote } from "./raw-case.ts";

/** Gateways, each with a short time limit: for headers, for a whole request, or for an idle connection. */
let quick: Readonly<Record<"headers" | "request" | "idle", LimitedGateway>>;
beforeAll(async () => {
  quick = {
    headers: await startLimited({ headersMs: 1_500, requestMs: 600_000 }),
    request: await startLimited({ headersMs: 2_500, requestMs: 2_500 }),
    idle: await startLimited({ keepAliveMs: 1_000 }),
  };
});
afterAll(async () => {
  for (const gateway of Object.values(quick)) await gateway.stop();
});

// Each test waits until the gateway checks its time limits, which happens once a second.
describe.concurrent("the time limits of a caller", () => {
  it("the gateway ends a connection if the headers of a request do not arrive completely in time", async ({
    expect,
  }) => {
    const connection = await quick.headers.begin(lookup().slice(0, -2));
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.connection]).toEqual([400, "close"]);
    expect(detailOf(answer)).toContain(
      "its headers must arrive within 1.5 seconds, the whole request within 600 seconds",
    );
    await connection.ended;
  });

  it("the gateway ends a connection if the headers of a request arrive letter by letter", async () => {
    const connection = await quick.headers.begin("GET ");
    const letters = setInterval(() => connection.send("/"), 20);
    const answer = await connection.answer();
    // A letter that arrives after the gateway has ended the connection resets the connection, and may destroy the
    // answer.
    expect([400, undefined]).toContain(answer?.status);
    await connection.ended;
    clearInterval(letters);
  });

  it("the gateway ends a connection if a request body does not arrive completely in time, and sends nothing to the insurer", async ({
    expect,
  }) => {
    const connection = await quick.request.begin(quote(QUOTE.slice(0, 9), "content-length: 71"));
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.connection]).toEqual([400, "close"]);
    expect(detailOf(answer)).toContain(
      "its headers must arrive within 2.5 seconds, the whole request within 2.5 seconds",
    );
    await connection.ended;
    expect(quick.request.insurer.arrivals.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("the gateway sends no second answer when it ends a connection because of the incomplete body of a refused request", async ({
    expect,
  }) => {
    const connection = await quick.request.begin(
      quote("{", "content-length: 99").replace("{token}", "x"),
    );
    expect((await connection.answer())?.status).toBe(401);
    expect(await connection.answer()).toBeNull();
  });

  it("the gateway ends a connection on which the caller continues to send bytes after the last answer", async ({
    expect,
  }) => {
    const connection = await quick.idle.begin(
      quote("", "content-length: 99999999").replace("{token}", "x"),
    );
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.connection]).toEqual([401, "close"]);
    const bytes = setInterval(() => connection.send("x"), 20);
    await connection.ended;
    clearInterval(bytes);
  });

  it("the gateway ends a connection on which the caller sends nothing, and writes no answer", async ({
    expect,
  }) => {
    const connection = await quick.headers.begin("");
    expect(await connection.answer()).toBeNull();
  });

  it("the gateway ends a kept-alive connection if the caller does not use the connection within the idle limit", async ({
    expect,
  }) => {
    const connection = await quick.idle.begin(lookup());
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers["keep-alive"]]).toEqual([200, "timeout=1"]);
    expect(await connection.answer()).toBeNull();
  });
});

describe("a caller that does not read the answer", () => {
  it("the gateway ends a connection if the caller does not read the answer within the idle limit", async () => {
    const listener = await startHeldListener({ idleMs: 300 });
    const connection = await openRaw(listener.address);
    connection.socket.pause();
    connection.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    const request = await listener.nextRequest();
    request.answer("x".repeat(50_000_000));
    expect(await request.leftWhole).toBe(false);
    connection.socket.destroy();
    await listener.drain();
  });
});
