import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRaw } from "../../harness/send-raw.ts";
import { startHeldListener } from "./held-listener.ts";
import { detailOf, type LimitedGateway, startLimited } from "./limited-gateway.ts";
import { lookup, QUOTE, quote } from "./raw-case.ts";

/** Whose time is short for headers, for a whole request, and between requests. */
let quick: Readonly<Record<"headers" | "request" | "idle", LimitedGateway>>;
beforeAll(async () => {
  quick = {
    headers: await startLimited({ headersMs: 300, requestMs: 600_000 }),
    request: await startLimited({ headersMs: 600, requestMs: 600 }),
    idle: await startLimited({ keepAliveMs: 1_000 }),
  };
});
afterAll(async () => {
  for (const gateway of Object.values(quick)) await gateway.stop();
});

// Each waits for the gateway to look at the clock, which it does once a second.
describe.concurrent("the time of a caller ends", () => {
  it("for headers that do not come whole", async ({ expect }) => {
    const connection = await quick.headers.begin(lookup().slice(0, -2));
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.connection]).toEqual([400, "close"]);
    expect(detailOf(answer)).toContain("its headers have 0.3 seconds, all of it 600 seconds");
    await connection.ended;
  });

  it("for headers that come one letter at a time", async ({ expect }) => {
    const connection = await quick.headers.begin("GET ");
    const letters = setInterval(() => connection.send("/"), 20);
    expect((await connection.answer())?.status).toBe(400);
    await connection.ended;
    clearInterval(letters);
  });

  it("for a body that does not come whole, which reaches no insurer", async ({ expect }) => {
    const connection = await quick.request.begin(quote(QUOTE.slice(0, 9), "content-length: 71"));
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.connection]).toEqual([400, "close"]);
    expect(detailOf(answer)).toContain("its headers have 0.6 seconds, all of it 0.6 seconds");
    await connection.ended;
    expect(quick.request.insurer.arrivals.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("for the body of a request that was refused, and no more is said", async ({ expect }) => {
    const connection = await quick.request.begin(
      quote("{", "content-length: 99").replace("{token}", "x"),
    );
    expect((await connection.answer())?.status).toBe(401);
    expect(await connection.answer()).toBeNull();
  });

  it("for a caller who goes on sending after its last answer", async ({ expect }) => {
    const connection = await quick.idle.begin(
      quote("", "content-length: 99999999").replace("{token}", "x"),
    );
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.connection]).toEqual([401, "close"]);
    const bytes = setInterval(() => connection.send("x"), 20);
    await connection.ended;
    clearInterval(bytes);
  });

  it("for a connection that sends nothing, without a word", async ({ expect }) => {
    const connection = await quick.headers.begin("");
    expect(await connection.answer()).toBeNull();
  });

  it("for a connection that is kept alive and not used", async ({ expect }) => {
    const connection = await quick.idle.begin(lookup());
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers["keep-alive"]]).toEqual([200, "timeout=1"]);
    expect(await connection.answer()).toBeNull();
  });
});

describe("a caller who does not read its answer", () => {
  it("keeps its connection until the idle limit, and no longer", async () => {
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
