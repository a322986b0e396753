import { once } from "node:events";
import { createServer as createHttpServer, request as httpRequest, type Server } from "node:http";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AccountAdministration } from "../../../src/accounts/administration.ts";
import {
  type AccountRoutesParts,
  createAccountRoutes,
} from "../../../src/operator/operations/account-routes.ts";
import { sendOperationsAnswer } from "../../../src/operator/operations/operations-answer.ts";
import { StoreUnavailableError } from "../../../src/store/faults.ts";
import { startOperationsServer } from "./operations-server.ts";

const TOKEN = "operator-token-7c1d-6f02-4b5e-9a31";
const ELSEWHERE = "192.0.2.7";
/** Where the tests' own requests come from. */
const LOCAL = "127.0.0.1";

/** Serves the routes to a machine at another address, and returns the port. */
async function serveElsewhere(server: Server, token: string | null = TOKEN): Promise<number> {
  onTestFinished(() => void server.close());
  const answer = createAccountRoutes({
    token: () => token,
    guessed: () => {},
    // Who is let in reads that the store cannot be reached.
    administration() {
      throw new StoreUnavailableError("not open", false);
    },
    verify: async () => null,
  });
  server.on("request", (asked, response) => {
    Object.defineProperty(asked.socket, "remoteAddress", { value: ELSEWHERE });
    void answer(asked).then((answered) => sendOperationsAnswer(answered, response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  return (server.address() as AddressInfo).port;
}

const headers = { authorization: `Bearer ${TOKEN}` };

it("accounts are not administered from another machine without TLS", async () => {
  const port = await serveElsewhere(createHttpServer());
  const answer = await fetch(`http://127.0.0.1:${port}/accounts`, { headers });
  expect(answer.status).toBe(403);
});

it.each([
  ["are administered from another machine over TLS", TOKEN, 503],
  ["are not administered where no token is configured", null, 401],
])("accounts %s", async (_, token, status) => {
  const { cert, private: key } = await generate([{ name: "commonName", value: "operator" }]);
  const port = await serveElsewhere(createServer({ cert, key }), token);
  const answered = Promise.withResolvers<number | undefined>();
  const asked = request(`https://127.0.0.1:${port}/accounts`, {
    headers,
    ca: cert,
    rejectUnauthorized: false,
  });
  asked.once("response", (response) => answered.resolve(response.statusCode));
  asked.end();
  expect(await answered.promise).toBe(status);
});

describe("the administration of accounts", () => {
  const calls: unknown[] = [];
  const note =
    (name: string) =>
    async (...given: readonly unknown[]): Promise<never> => {
      calls.push([name, ...given]);
      // The administration's result is sent unchanged.
      return { is: name } as never;
    };
  const works: AccountAdministration = {
    list: note("list"),
    changes: note("changes"),
    put: note("put"),
    remove: note("remove"),
  };
  const failing = (error: Error): AccountAdministration => ({
    ...works,
    list: () => Promise.reject(error),
  });

  /** Returns the answer to a request, and the calls that it caused. */
  async function answerTo(
    method: "GET" | "HEAD" | "PATCH" | "POST" | "PUT" | "DELETE",
    path: string,
    parts: Partial<AccountRoutesParts> = {},
    more: { readonly headers?: Record<string, string>; readonly payload?: string } = {},
  ): Promise<readonly [number, Readonly<Record<string, string>>, unknown, readonly unknown[]]> {
    calls.length = 0;
    const accounts = {
      token: () => TOKEN,
      guessed: note("guessed"),
      administration: () => works,
      verify: note("verify"),
      ...parts,
    };
    const server = await startOperationsServer({ accounts });
    onTestFinished(() => server.close());
    const answer = await fetch(server.address + path, {
      method,
      headers: { ...headers, ...more.headers },
      ...(more.payload === undefined ? {} : { body: more.payload }),
    });
    const names = ["content-type", "www-authenticate", "allow"];
    const body = await answer.text();
    return [
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => names.includes(name))),
      body === "" ? null : JSON.parse(body),
      calls.splice(0),
    ];
  }

  const json = { "content-type": "application/json" };
  const problem = (status: number, ...errors: readonly string[]): readonly unknown[] => [
    status,
    { "content-type": "application/problem+json; charset=utf-8" },
    { status, detail: errors.join(" "), errors },
  ];

  it("answers that its store cannot be reached", async () => {
    const unavailable = [
      ...problem(503, "The gateway cannot reach its store. Try again later."),
      [],
    ];
    const administration = failing(new StoreUnavailableError("timeout", false));
    expect(await answerTo("GET", "/accounts", { administration: () => administration })).toEqual(
      unavailable,
    );
  });

  it.each([
    ["no JSON", json, "{", "The body is not JSON (RFC 8259)."],
    ["another type", { "content-type": "text/xml" }, "<a/>", "Send JSON."],
    [
      "JSON with a name twice",
      json,
      '{"id":"a","id":"b"}',
      "An object in the body has the same name twice; send every name once.",
    ],
  ])("answers a body that is %s without a word of it", async (_, headers, payload, detail) => {
    expect(await answerTo("POST", "/accounts", {}, { headers, payload })).toEqual([
      ...problem(400, detail),
      [],
    ]);
  });

  it("takes a body of up to 1 MiB", async () => {
    const payload = (bytes: number): string => JSON.stringify({ id: "a".repeat(bytes - 9) });
    const [taken] = await answerTo(
      "POST",
      "/accounts",
      {},
      { headers: json, payload: payload(1_048_576) },
    );
    expect(taken).toBe(200);
    expect(
      await answerTo("POST", "/accounts", {}, { headers: json, payload: payload(1_048_577) }),
    ).toEqual([...problem(413, "The body may have at most 1024 kB."), []]);
  });

  it.each([
    ["PATCH", "/accounts", "GET, HEAD, POST"],
    ["GET", "/accounts/north", "DELETE"],
    ["DELETE", "/accounts/north/verification", "POST"],
  ] as const)("says which methods it has for %s %s", async (method, path, allow) => {
    expect(await answerTo(method, path)).toEqual([
      405,
      { "content-type": "application/problem+json; charset=utf-8", allow },
      problem(405, `This path accepts ${allow}.`)[2],
      [],
    ]);
  });

  it.each(["/accounts/north/other", "/accounts/%zz"])("has nothing at %s", async (path) => {
    expect(await answerTo("POST", path, {}, { headers: json, payload: "{}" })).toEqual([
      ...problem(404, "There is no such path."),
      [],
    ]);
  });

  it("an internal error of the administration is answered without its text", async () => {
    const [status, , body] = await answerTo("GET", "/accounts", {
      administration: () => failing(new Error("password=hunter2")),
    });
    expect([status, JSON.stringify(body).includes("hunter2")]).toEqual([500, false]);
  });

  it.each([
    ["another token", { authorization: `Bearer ${TOKEN}x` }],
    ["another scheme", { authorization: `Basic ${TOKEN}` }],
  ])("asks for its token where a request has %s", async (_, headers) => {
    const [status, sent, body, done] = await answerTo("GET", "/accounts", {}, { headers });
    expect([status, sent["www-authenticate"], body, done]).toEqual([
      401,
      "Bearer",
      problem(401, "Send the token of operations.accountsToken.")[2],
      [["guessed", LOCAL]],
    ]);
  });

  it("refuses an address that has sent ten wrong tokens, also with the right one, and says when to try again", async () => {
    const guessed: string[] = [];
    const accounts = {
      token: () => TOKEN,
      administration: () => works,
      verify: note("verify"),
      guessed: (from: string) => void guessed.push(from),
    };
    const server = await startOperationsServer({ accounts });
    onTestFinished(() => server.close());
    const ask = (token: string): Promise<Response> =>
      fetch(`${server.address}/accounts`, { headers: { authorization: `Bearer ${token}` } });
    for (let guess = 0; guess < 10; guess += 1)
      expect((await ask(`wrong-${guess}`)).status).toBe(401);
    const refused = await ask(TOKEN);
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([
      429,
      expect.closeTo(600, -1),
    ]);
    expect(guessed).toEqual(Array.from({ length: 10 }, () => LOCAL));
  });

  it.each([
    ["of another origin", "https://evil.example", 403],
    ["of no origin", "null", 403],
    ["of its own origin", null, 204],
  ])("answers a page %s as it must", async (_, origin, status) => {
    const accounts = {
      token: () => TOKEN,
      administration: () => works,
      verify: note("verify"),
      guessed: () => {},
    };
    const server = await startOperationsServer({ accounts });
    onTestFinished(() => server.close());
    const answered = Promise.withResolvers<number | undefined>();
    httpRequest(
      `${server.address}/accounts/a`,
      { method: "DELETE", headers: { ...headers, origin: origin ?? server.address } },
      (response) => answered.resolve(response.resume().statusCode),
    ).end();
    expect(await answered.promise).toBe(status);
  });

  it.each([
    ["anna@ops", 204, [["remove", "a", `anna@ops (${LOCAL})`]]],
    ["<script>", 400, []],
  ])("records the name that an operator gives: %s", async (name, status, done) => {
    const asked = { headers: { "x-operator": name } };
    const [answered, , , called] = await answerTo("DELETE", "/accounts/a", {}, asked);
    expect([answered, called]).toEqual([status, done]);
  });

  it("is not there where no token is configured", async () => {
    const [status, , , done] = await answerTo("GET", "/accounts", { token: () => null });
    expect([status, done]).toEqual([404, []]);
  });
});
