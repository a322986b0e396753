import { createServer, request } from "node:https";
import fastify, { type FastifyInstance } from "fastify";
import { generate } from "selfsigned";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type ConnectionAdministration,
  ConnectionError,
} from "../../src/connections/administration.ts";
import {
  type ConnectionRoutesParts,
  isConnectionPath,
  serveConnections,
} from "../../src/operations/connection-routes.ts";
import { StoreUnavailableError } from "../../src/store/store.ts";

const TOKEN = "operator-token-7c1d";
const ELSEWHERE = "192.0.2.7";

/** Serves the routes to a machine at another address, and returns where. */
async function serveElsewhere(server: FastifyInstance): Promise<string> {
  onTestFinished(() => server.close());
  server.addHook("onRequest", async ({ raw }) => {
    Object.defineProperty(raw.socket, "remoteAddress", { value: ELSEWHERE });
  });
  serveConnections(server, {
    token: () => TOKEN,
    // Who is let in reads that the store cannot be reached.
    administration: () => null,
    verify: async () => [],
  });
  return server.listen({ host: "127.0.0.1", port: 0 });
}

const headers = { authorization: `Bearer ${TOKEN}` };

it("connections are not administered from another machine without TLS", async () => {
  const address = await serveElsewhere(fastify());
  const answer = await fetch(`${address}/connections`, { headers });
  expect(answer.status).toBe(403);
});

it("connections are administered from another machine over TLS", async () => {
  const { cert, private: key } = await generate([{ name: "commonName", value: "operator" }]);
  const server = fastify({
    serverFactory: (handler) => createServer({ cert, key }, handler),
  });
  const address = await serveElsewhere(server);
  const answered = Promise.withResolvers<number | undefined>();
  const asked = request(`${address.replace("http:", "https:")}/connections`, {
    headers,
    ca: cert,
    rejectUnauthorized: false,
  });
  asked.once("response", (response) => answered.resolve(response.statusCode));
  asked.end();
  expect(await answered.promise).toBe(503);
});

describe("the administration of connections", () => {
  const calls: unknown[] = [];
  const note =
    (name: string) =>
    async (...given: readonly unknown[]): Promise<never> => {
      calls.push([name, ...given]);
      // What it gives is sent as it is.
      return { is: name } as never;
    };
  const works: ConnectionAdministration = {
    list: note("list"),
    add: note("add"),
    rotate: note("rotate"),
    remove: note("remove"),
  };
  const failing = (error: Error): ConnectionAdministration => ({
    ...works,
    list: () => Promise.reject(error),
  });

  /** What is answered to a request, and what was done for it. */
  async function answerTo(
    method: "GET" | "POST" | "PUT" | "DELETE",
    url: string,
    parts: Partial<ConnectionRoutesParts> = {},
    more: { readonly headers?: object; readonly payload?: string } = {},
  ): Promise<unknown> {
    calls.length = 0;
    const server = fastify();
    onTestFinished(() => server.close());
    serveConnections(server, {
      token: () => TOKEN,
      administration: () => works,
      verify: note("verify"),
      ...parts,
    });
    const {
      body,
      headers: sent,
      statusCode,
    } = await server.inject({
      method,
      url,
      headers: { ...headers, ...more.headers },
      ...(more.payload === undefined ? {} : { payload: more.payload }),
    });
    const names = ["content-type", "www-authenticate"].filter((name) => name in sent);
    return [
      statusCode,
      Object.fromEntries(names.map((name) => [name, sent[name]])),
      body === "" ? null : JSON.parse(body),
      calls.splice(0),
    ];
  }

  const json = { "content-type": "application/json" };
  const isJson = { "content-type": "application/json; charset=utf-8" };
  const problem = (status: number, ...errors: readonly string[]): readonly unknown[] => [
    status,
    { "content-type": "application/problem+json; charset=utf-8" },
    { status, detail: errors.join(" "), errors },
  ];

  it("lists, adds, changes, verifies and removes connections", async () => {
    const payload = '{"id":"north"}';
    const body = { id: "north" };
    const list = { list: async () => [{ id: "north" } as never] };
    expect(
      await answerTo("GET", "/connections", { administration: () => ({ ...works, ...list }) }),
    ).toEqual([200, isJson, { items: [{ id: "north" }] }, []]);
    expect(await answerTo("POST", "/connections", {}, { headers: json, payload })).toEqual([
      201,
      isJson,
      { is: "add" },
      [["add", body]],
    ]);
    expect(await answerTo("PUT", "/connections/north", {}, { headers: json, payload })).toEqual([
      204,
      {},
      null,
      [["rotate", "north", body]],
    ]);
    expect(await answerTo("DELETE", "/connections/north")).toEqual([
      204,
      {},
      null,
      [["remove", "north"]],
    ]);
    const verify = async (id: string): Promise<readonly never[]> => [{ verified: id } as never];
    expect(await answerTo("POST", "/connections/north/verification", { verify })).toEqual([
      200,
      isJson,
      { verified: "north" },
      [],
    ]);
    expect(
      await answerTo("POST", "/connections/north/verification", { verify: async () => [] }),
    ).toEqual([...problem(404, "north: there is no such connection"), []]);
  });

  it.each([
    ["invalid", 400],
    ["not_found", 404],
    ["conflict", 409],
  ] as const)("answers a fault that is %s with %i", async (fault, status) => {
    const administration = failing(new ConnectionError(fault, ["One.", "Two."]));
    expect(await answerTo("GET", "/connections", { administration: () => administration })).toEqual(
      [...problem(status, "One.", "Two."), []],
    );
  });

  it("answers that its store cannot be reached, or is not open yet", async () => {
    const unavailable = [
      ...problem(503, "The gateway cannot reach its store. Try again later."),
      [],
    ];
    const administration = failing(new StoreUnavailableError("timeout", false));
    expect(await answerTo("GET", "/connections", { administration: () => administration })).toEqual(
      unavailable,
    );
    expect(await answerTo("GET", "/connections", { administration: () => null })).toEqual(
      unavailable,
    );
  });

  it.each([
    ["no JSON", json, "{"],
    ["another type", { "content-type": "text/xml" }, "<a/>"],
  ])("answers a body that is %s without a word of it", async (_, headers, payload) => {
    expect(await answerTo("POST", "/connections", {}, { headers, payload })).toEqual([
      ...problem(400, "Send JSON."),
      [],
    ]);
  });

  it.each([
    ["no token", { authorization: "" }, TOKEN],
    ["another token", { authorization: `Bearer ${TOKEN}x` }, TOKEN],
    ["another scheme", { authorization: `Basic ${TOKEN}` }, TOKEN],
    ["any token where none is configured", {}, null],
  ])("asks for its token where a request has %s", async (_, headers, token) => {
    const [status, sent, body, done] = Object.values(
      Object(await answerTo("GET", "/connections", { token: () => token }, { headers })),
    );
    expect([status, Object(sent)["www-authenticate"], body, done]).toEqual([
      401,
      "Bearer",
      problem(401, "Send the token of operations.connectionsToken.")[2],
      [],
    ]);
  });

  it("takes its token whatever the case of the scheme", async () => {
    const asked = { headers: { authorization: `bearer ${TOKEN}` } };
    const [status] = Object.values(Object(await answerTo("DELETE", "/connections/a", {}, asked)));
    expect(status).toBe(204);
  });

  it("has its own paths, and no others", () => {
    const paths = ["/connections", "/connections/a", "/connectionsx", "/", "/x/connections"];
    expect(paths.map(isConnectionPath)).toEqual([true, true, false, false, false]);
  });
});
