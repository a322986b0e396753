import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { type OperationsServer, startOperationsServer } from "./operations-server.ts";

let server: OperationsServer;
afterEach(() => server.close());

const SECURITY = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const PROBLEM = "application/problem+json; charset=utf-8";

/** Returns an answer's status, body and headers, without the headers that Node adds. */
async function answerOf(response: Response): Promise<unknown> {
  const own = [...response.headers].filter(
    ([name]) => !/^(connection|content-length|date|keep-alive)$/.test(name),
  );
  return { status: response.status, headers: Object.fromEntries(own), text: await response.text() };
}

describe("answers of the operations address", () => {
  it.each([
    ["/health/live", 200, "application/json; charset=utf-8", '{"status":"live"}'],
    ["/health/ready?x=1", 200, "application/json; charset=utf-8", '{"status":"ready"}'],
    ["/drift", 200, "application/json; charset=utf-8", '{"items":[]}'],
    ["/answers", 200, "application/json; charset=utf-8", '{"items":[]}'],
    [
      "/nothing",
      404,
      PROBLEM,
      '{"status":404,"detail":"There is no such page; / is the start page."}',
    ],
    ["/%zz", 404, PROBLEM, '{"status":404,"detail":"There is no such page; / is the start page."}'],
    [
      "/accounts",
      404,
      PROBLEM,
      '{"status":404,"detail":"There is no such page; / is the start page."}',
    ],
  ])("the operations address answers %s with %i", async (path, status, contentType, text) => {
    server = await startOperationsServer();
    expect(await answerOf(await server.get(path))).toEqual({
      status,
      headers: { ...SECURITY, "content-type": contentType },
      text,
    });
  });

  it("the operations address answers a browser's request for an icon with 204", async () => {
    server = await startOperationsServer();
    expect(await answerOf(await server.get("/favicon.ico"))).toEqual({
      status: 204,
      headers: SECURITY,
      text: "",
    });
  });

  it("the operations address answers 405 to methods other than GET and HEAD", async () => {
    server = await startOperationsServer();
    const posted = await fetch(`${server.address}/providers`, { method: "POST" });
    expect(await answerOf(posted)).toEqual({
      status: 405,
      headers: { ...SECURITY, allow: "GET, HEAD", "content-type": PROBLEM },
      text: '{"status":405,"detail":"This page is read-only. Use GET."}',
    });
  });

  it.each([
    ["GATEWAY.internal:9090", 200],
    ["LOCALHOST", 200],
    ["[::1]", 200],
    ["gateway.internal.evil.example", 421],
  ])("the operations address answers a request for the host %s with %i", async (host, status) => {
    server = await startOperationsServer();
    const { port } = new URL(server.address);
    const answered = Promise.withResolvers<string>();
    request(
      { host: "127.0.0.1", port, path: "/health/live", headers: { host } },
      (response) =>
        void text(response).then((body) => answered.resolve(`${response.statusCode} ${body}`)),
    ).end();
    expect(await answered.promise).toBe(
      status === 200
        ? '200 {"status":"live"}'
        : '421 {"status":421,"detail":"Use the IP address, or add this host name to operations.names in the configuration."}',
    );
  });

  it("the operations address hides the text of an internal error", async () => {
    server = await startOperationsServer({
      drift: {
        list() {
          throw new TypeError("words");
        },
      },
    });
    expect(await answerOf(await server.get("/drift"))).toEqual({
      status: 500,
      headers: { ...SECURITY, "content-type": PROBLEM },
      text: '{"status":500,"detail":"The gateway failed to answer. The log contains the place of the error."}',
    });
  });
});
