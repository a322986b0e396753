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
/** The IP address from which the tests send requests. */
const LOCAL = "127.0.0.1";

/** Serves the routes for accounts as if requests come from another machine, and returns the port. */
async function serveElsewhere(server: Server, token: string | null = TOKEN): Promise<number> {
  onTestFinished(() => void server.close());
  const answer = createAccountRoutes({
    token: () => token,
    guessed: () => {},
    // An accepted request gets 503, because the store is unavailable.
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

it("the gateway refuses requests about accounts from another machine without TLS", async () => {
  const port = await serveElsewhere(createHttpServer());
  const answer = await fetch(`http://127.0.0.1:${port}/accounts`, { headers });
  expect(answer.status).toBe(403);
});

it.each([
  ["the right token", TOKEN, 503],
  ["a token although none is configured", null, 401],
])(
  "the gateway checks the token of requests about accounts from another machine over TLS: %s",
  async (_, token, status) => {
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
  },
);

describe("the requests that administer accounts", () => {
  const calls: unknown[] = [];
  const note =
    (name: string) =>
    async (...given: readonly unknown[]): Promise<never> => {
      calls.push([name, ...given]);
      // The gateway answers with the result of this function, unchanged.
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

  /** Returns the answer to a request, and the calls of the administration that the request caused. */
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

  it("the gateway answers 503 to requests about accounts while the store is unavailable", async () => {
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
    ["invalid JSON", json, "{", "The body is not JSON (RFC 8259)."],
    ["a body of another type", { "content-type": "text/xml" }, "<a/>", "Send JSON."],
    [
      "JSON with a repeated name",
      json,
      '{"id":"a","id":"b"}',
      "An object in the body has the same name twice; send every name once.",
    ],
  ])(
    "the gateway refuses a request about accounts with %s, and does not quote the body",
    async (_, headers, payload, detail) => {
      expect(await answerTo("POST", "/accounts", {}, { headers, payload })).toEqual([
        ...problem(400, detail),
        [],
      ]);
    },
  );

  it("the gateway accepts a body of at most 1 MiB in requests about accounts", async () => {
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
  ] as const)(
    "the gateway answers 405 to the request %s %s, and lists the allowed methods: %s",
    async (method, path, allow) => {
      expect(await answerTo(method, path)).toEqual([
        405,
        { "content-type": "application/problem+json; charset=utf-8", allow },
        problem(405, `This path accepts ${allow}.`)[2],
        [],
      ]);
    },
  );

  it.each(["/accounts/north/other", "/accounts/%zz"])(
    "the gateway answers 404 for the unknown path %s",
    async (path) => {
      expect(await answerTo("POST", path, {}, { headers: json, payload: "{}" })).toEqual([
        ...problem(404, "There is no such path."),
        [],
      ]);
    },
  );

  it("the gateway's answer to a request about accounts omits the text of an internal error", async () => {
    const [status, , body] = await answerTo("GET", "/accounts", {
      administration: () => failing(new Error("password=hunter2")),
    });
    expect([status, JSON.stringify(body).includes("hunter2")]).toEqual([500, false]);
  });

  it.each([
    ["another token", { authorization: `Bearer ${TOKEN}x` }],
    ["another scheme", { authorization: `Basic ${TOKEN}` }],
  ])("the gateway requires the token for accounts if a request has %s", async (_, headers) => {
    const [status, sent, body, done] = await answerTo("GET", "/accounts", {}, { headers });
    expect([status, sent["www-authenticate"], body, done]).toEqual([
      401,
      "Bearer",
      problem(401, "Send the token of operations.accountsToken.")[2],
      [["guessed", LOCAL]],
    ]);
  });

  it("the gateway refuses an IP address after ten wrong tokens for accounts, even with the right token, and sends Retry-After", async () => {
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
    ["another origin", "https://evil.example", 403],
    ["the origin `null`", "null", 403],
    ["the gateway's origin", null, 204],
  ])(
    "a web page's request to change accounts with %s (%s) gets the status %i",
    async (_, origin, status) => {
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
    },
  );

  it.each([
    ["anna@ops", 204, [["remove", "a", `anna@ops (${LOCAL})`]]],
    ["<script>", 400, []],
  ])(
    "the gateway records the operator's name in a request about accounts, or refuses an invalid name: %s",
    async (name, status, done) => {
      const asked = { headers: { "x-operator": name } };
      const [answered, , , called] = await answerTo("DELETE", "/accounts/a", {}, asked);
      expect([answered, called]).toEqual([status, done]);
    },
  );

  it("the gateway answers 404 to requests about accounts if no token is configured", async () => {
    const [status, , , done] = await answerTo("GET", "/accounts", { token: () => null });
    expect([status, done]).toEqual([404, []]);
  });
});
