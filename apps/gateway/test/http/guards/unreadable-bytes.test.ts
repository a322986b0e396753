import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRaw } from "../../harness/send-raw.ts";
import { type HeldListener, startHeldListener } from "./held-listener.ts";
import { type LimitedGateway, startLimited } from "./limited-gateway.ts";
import { lookup, quote } from "./raw-case.ts";

let listener: HeldListener;
let gateway: LimitedGateway;
beforeAll(async () => {
  listener = await startHeldListener();
  gateway = await startLimited({});
});
afterAll(async () => {
  await listener.drain();
  await gateway.stop();
});

// After unreadable bytes, the gateway cannot find the next request, so it must end the connection.
describe("bytes that are not HTTP", () => {
  it("the gateway ends a connection with bytes that are not HTTP as soon as the request before these bytes is answered", async () => {
    const connection = await openRaw(listener.address);
    let text = "";
    connection.socket.on("data", (piece: string) => {
      text += piece;
    });
    const began = new Promise((resolve) => connection.socket.once("data", resolve));
    connection.send("GET /held HTTP/1.1\r\nhost: x\r\n\r\n");
    const request = await listener.nextRequest();
    const last = Promise.withResolvers<string>();
    request.answer("first", last.promise);
    await began;
    connection.send("no HTTP\r\n\r\n");
    // The answer on another connection shows that the gateway has already read the bytes.
    const other = await openRaw(listener.address);
    other.send("GET /now HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    await other.ended;
    last.resolve("last");
    await connection.ended;
    expect(text).toMatch(/first\r\n4\r\nlast\r\n0\r\n\r\n$/);
  });

  it("the gateway ends a connection at once if bytes that are not HTTP arrive as the body of an answered request", async () => {
    const connection = await gateway.begin(
      quote("", "transfer-encoding: chunked").replace("{token}", "x"),
    );
    expect((await connection.answer())?.status).toBe(401);
    connection.send("no chunk\r\n");
    expect(await connection.answer()).toBeNull();
  });
});

describe("a caller that disconnects within a body", () => {
  it("the log reports that a caller has disconnected within a request body, and the insurer receives nothing of the request", async () => {
    const connection = await gateway.begin(quote("{", "content-length: 71"));
    const other = await gateway.begin(lookup("connection: close"));
    await other.ended;
    connection.socket.resetAndDestroy();
    const gone = (): readonly string[] =>
      gateway.log.filter((line) => line.includes('"callerGone":true'));
    await expect.poll(gone).toHaveLength(1);
    expect(JSON.parse(gone()[0] ?? "{}")).toMatchObject({ endpoint: "calculatePensionQuote" });
    expect(gateway.insurer.arrivals.map(({ method }) => method)).toEqual(["GET"]);
  });
});

describe("an unreadable submission", () => {
  const head = [
    "POST /provider-d/applications HTTP/1.1",
    "host: x",
    "idempotency-key: one",
    "x-note: ",
  ].join("\r\n");

  it.each([
    ["a key in an earlier piece", head, "unknown"],
    ["a possible key in an earlier piece", head.replace("idempotency-key", "x-other"), "unknown"],
  ])(
    "the outcome of an unreadable submission is `unknown` if the submission may have an idempotency key: %s",
    async (_, begun, outcome) => {
      // The answer to the first request shows that the gateway has read the beginning of the second.
      const connection = await gateway.begin(lookup("").concat(begun));
      expect((await connection.answer())?.status).toBe(200);
      connection.send("\0\r\n\r\n");
      const answer = await connection.answer();
      expect(answer?.status).toBe(400);
      expect(JSON.parse(answer?.body ?? "")).toMatchObject({ code: "INVALID_REQUEST", outcome });
    },
  );

  it("a lookup whose address is too long fails as `not_sent`, regardless of the number of packets in which the address arrives", async () => {
    const connection = await gateway.begin(`${lookup()}GET /${"x".repeat(16_000)}`);
    expect((await connection.answer())?.status).toBe(200);
    connection.send(`${"x".repeat(1_000)} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const answer = await connection.answer();
    expect(JSON.parse(answer?.body ?? "")).toMatchObject({
      code: "HEADERS_TOO_LARGE",
      outcome: "not_sent",
      detail: "The address and the headers of a request may have at most 16 kB together.",
    });
    connection.socket.destroy();
  });

  it("an unreadable submission is `not_sent` if its headers arrived completely and have no idempotency key", async () => {
    const connection = await openRaw(gateway.address);
    connection.send(`${head.replace("idempotency-key", "x-other")}\0\r\n\r\n`);
    const answer = await connection.answer();
    expect(JSON.parse(answer?.body ?? "")).toMatchObject({ outcome: "not_sent" });
  });
});
