import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRaw } from "../harness/send-raw.ts";
import { startHeldListener } from "./held-listener.ts";
import { detailOf, type LimitedGateway, startLimited } from "./limited-gateway.ts";
import { lookup, QUOTE, quote } from "./raw-case.ts";

let gateway: LimitedGateway;
beforeAll(async () => {
  gateway = await startLimited({ headersMs: 300, requestMs: 600, keepAliveMs: 100 });
});
afterAll(() => gateway.stop());

const said = /its headers have 0\.3 seconds, all of it 0\.6 seconds/;

// Each waits for the gateway to look at the clock, which it does once a second.
describe.concurrent("the time of a caller ends", () => {
  it("for headers that do not come whole", async ({ expect }) => {
    const connection = await gateway.begin(lookup().slice(0, -2));
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.connection]).toEqual([400, "close"]);
    expect(detailOf(answer)).toMatch(said);
    await connection.ended;
  });

  it("for headers that come one letter at a time", async ({ expect }) => {
    const connection = await gateway.begin("GET ");
    const letters = setInterval(() => connection.send("/"), 20);
    expect((await connection.answer())?.status).toBe(400);
    await connection.ended;
    clearInterval(letters);
  });

  it("for a body that does not come whole, which reaches no insurer", async ({ expect }) => {
    const connection = await gateway.begin(quote(QUOTE.slice(0, 9), "content-length: 71"));
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.connection]).toEqual([400, "close"]);
    expect(detailOf(answer)).toMatch(said);
    await connection.ended;
    expect(gateway.insurer.arrivals.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("for the body of a request that was refused, and no more is said", async ({ expect }) => {
    const connection = await gateway.begin(
      quote("{", "content-length: 99").replace("{token}", "x"),
    );
    expect((await connection.answer())?.status).toBe(401);
    expect(await connection.answer()).toBeNull();
  });

  it("for a connection that sends nothing, without a word", async ({ expect }) => {
    const connection = await gateway.begin("");
    expect(await connection.answer()).toBeNull();
  });

  it("for a connection that is kept alive and not used", async ({ expect }) => {
    const connection = await gateway.begin(lookup());
    expect((await connection.answer())?.status).toBe(200);
    expect(await connection.answer()).toBeNull();
  });
});

describe("a caller who does not read its answer", () => {
  it("keeps its connection as long as one may stand still, and no longer", async () => {
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
