import { generateKeyPairSync } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Adapter, LoginAnswer } from "@insurance-gateway/adapter";
import {
  CredentialsError,
  type FetchedContent,
  fixedCredentials,
  jointCredentials,
} from "@insurance-gateway/core/auth";
import { type ConnectionTransport, createTransport } from "@insurance-gateway/core/transport";
import { jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { isAllowedHeader, isHeaderValue } from "../../../src/configuration/header-names.ts";
import type { OAuth2Client } from "../../../src/configuration/insurer-credentials.ts";
import { fetchToken } from "../../../src/insurers/credentials/oauth2.ts";
import { logIn } from "../../../src/insurers/credentials/open.ts";
import { type Insurer, json, startInsurer } from "../../harness/insurer.ts";

let server: Insurer;
let transport: ConnectionTransport;
beforeAll(async () => {
  server = await startInsurer(json(200, {}));
  transport = createTransport({ connections: 2 });
});
afterAll(async () => {
  await transport.close();
  await server.close();
});

/** Returns the fetched content, or the reason of the failure. */
async function resultOf(fetched: Promise<FetchedContent>): Promise<unknown> {
  return fetched.catch((error: unknown) => {
    if (CredentialsError.isInstance(error)) return error.fault;
    throw error;
  });
}

function clientOf(more: Partial<OAuth2Client> = {}): OAuth2Client {
  return {
    type: "oauth2",
    tokenUrl: `${server.baseUrl}/token`,
    clientId: "broker",
    scope: undefined,
    audience: undefined,
    tls: {},
    timeoutMs: 10_000,
    authentication: { type: "client_secret_post", secret: "secret" },
    ...more,
  };
}

const user = { username: "broker", password: "secret" };
/** Logs in with an adapter that does so, or that does not log in. */
function logInWith(login: NonNullable<Adapter["login"]> | undefined): Promise<unknown> {
  const adapter: Adapter = {
    name: "x",
    failures: [],
    call: () => Promise.reject(new TypeError("It only logs in")),
    ...(login === undefined ? {} : { login }),
  };
  const answers = { jsonBytes: 1_000, documentBytes: 1_000, staleHours: 0 };
  const apiKey = { headers: { "x-api-key": "key-1" }, login: null };
  const beside = jointCredentials([fixedCredentials({ content: apiKey, isReplaced: () => false })]);
  const insurer = { adapter, answers, baseUrl: server.baseUrl, settings: { office: "7" } };
  const parts = { login: user, timeoutMs: 10_000, insurer, transport, beside };
  return resultOf(logIn(parts));
}

/** A login of one request. */
const sendOnce: NonNullable<Adapter["login"]> = async (_, send) => {
  await (await send({ method: "POST", path: "/login" })).text();
  return { headers: { "x-session": "s" }, expiresInSeconds: null };
};

describe("the answer of a token server", () => {
  it.each([
    [200, { access_token: "t" }, null],
    [200, { access_token: "t", token_type: "Bearer", expires_in: 60 }, 60_000],
    [200, { access_token: "t", token_type: "BEARER", expires_in: "60" }, 60_000],
    [200, { access_token: "t", expires_in: null }, null],
    [200, { access_token: "t", expires_in: 0.5 }, 500],
    [200, { access_token: "" }, "unusable"],
    [200, { access_token: "t", token_type: "mac" }, "unusable"],
    [200, { access_token: "t", expires_in: "1e3" }, "unusable"],
    [200, [], "unusable"],
    [201, { access_token: "t" }, "unusable"],
    [302, {}, "unusable"],
    [400, {}, "refused"],
    [401, {}, "refused"],
    [403, {}, "refused"],
    [404, {}, "refused"],
    [408, {}, "unreachable"],
    [425, {}, "unreachable"],
    [429, {}, "unreachable"],
    [499, {}, "refused"],
    [500, {}, "unreachable"],
    [503, {}, "unreachable"],
  ])("the answer of a token server with %i and %j means %s", async (status, body, expected) => {
    server.behaviour = json(status, body);
    const found = await resultOf(fetchToken(clientOf(), transport));
    const isFault = typeof expected === "string";
    const headers = { authorization: "Bearer t" };
    expect(found).toEqual(isFault ? expected : { headers, login: null, lifeMs: expected });
  });
});

describe("the request for a token", () => {
  async function requestOf(more: Partial<OAuth2Client>) {
    server.behaviour = json(200, { access_token: "t" });
    await fetchToken(clientOf(more), transport);
    const { body, headers, method, url } = server.arrivals.at(-1) ?? {};
    expect([method, url, headers?.["content-type"], headers?.accept]).toEqual([
      "POST",
      "/api/token",
      "application/x-www-form-urlencoded",
      "application/json",
    ]);
    const { client_assertion: assertion, ...parameters } = Object.fromEntries(
      new URLSearchParams(body),
    );
    return { authorization: headers?.authorization, assertion, parameters };
  }
  const credentials = { grant_type: "client_credentials" };

  it("proves the client in its body, or in its header with both halves encoded", async () => {
    const secret = "s:1 +ü";
    const posted = await requestOf({
      scope: "a b",
      authentication: { type: "client_secret_post", secret },
    });
    expect(posted).toEqual({
      authorization: undefined,
      assertion: undefined,
      parameters: { ...credentials, scope: "a b", client_id: "broker", client_secret: secret },
    });
    const basic = await requestOf({
      clientId: "bro:ker",
      audience: "insurer",
      authentication: { type: "client_secret_basic", secret },
    });
    expect(basic).toEqual({
      authorization: `Basic ${Buffer.from("bro%3Aker:s%3A1+%2B%C3%BC").toString("base64")}`,
      assertion: undefined,
      parameters: { ...credentials, audience: "insurer" },
    });
  });

  it("has an assertion for this server, for a minute, each with a name of its own", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const authentication = {
      type: "private_key_jwt" as const,
      key: privateKey,
      keyId: "key-1",
      algorithm: "ES256",
    };
    const names = new Set<unknown>();
    for (const keyId of ["key-1", undefined]) {
      const {
        assertion = "",
        authorization,
        parameters,
      } = await requestOf({
        authentication: { ...authentication, keyId },
      });
      expect([authorization, parameters]).toEqual([
        undefined,
        {
          ...credentials,
          client_id: "broker",
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        },
      ]);
      const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, {
        issuer: "broker",
        subject: "broker",
        audience: `${server.baseUrl}/token`,
      });
      expect(protectedHeader).toEqual({
        alg: "ES256",
        typ: "JWT",
        ...(keyId === undefined ? {} : { kid: keyId }),
      });
      expect(Number(payload.exp) - Number(payload.iat)).toBe(60);
      names.add(payload.jti);
    }
    expect(names.size).toBe(2);
  });
});

describe("a login", () => {
  const giving = (answer: LoginAnswer) => async (): Promise<LoginAnswer> => answer;

  it.each<[string, LoginAnswer, unknown]>([
    ["gives headers for a time", { headers: { "X-Session": "s" }, expiresInSeconds: 2 }, 2_000],
    ["gives headers", { headers: { "X-Session": "s" }, expiresInSeconds: null }, null],
    ["refuses", { headers: null, expiresInSeconds: null }, "refused"],
    ["gives no header", { headers: {}, expiresInSeconds: null }, "unusable"],
    [
      "gives a time that is none",
      { headers: { a: "s" }, expiresInSeconds: Number.NaN },
      "unusable",
    ],
    ["gives a header that is taken", { headers: { Via: "s" }, expiresInSeconds: null }, "unusable"],
    ["gives one with no name", { headers: { "a b": "s" }, expiresInSeconds: null }, "unusable"],
    ["gives one without a value", { headers: { a: "" }, expiresInSeconds: null }, "unusable"],
    ["gives one of two", { headers: { a: "s", b: "σ" }, expiresInSeconds: null }, "unusable"],
  ])("a login that %s has the expected result", async (_, answer, expected) => {
    const found = await logInWith(giving(answer));
    if (typeof expected === "string") return expect(found).toBe(expected);
    expect(found).toEqual({ headers: { "x-session": "s" }, login: null, lifeMs: expected });
  });

  it.each([
    [200, "unusable"],
    [404, "unusable"],
    [429, "unreachable"],
    [499, "unusable"],
    [500, "unreachable"],
  ])(
    "a login whose answer of %i the adapter cannot read is %s, and leaves no exchange",
    async (status, fault) => {
      server.behaviour = json(status, "<html>");
      const found = await logInWith(async (given, send, { settings }) => {
        expect([given, settings]).toEqual([user, { office: "7" }]);
        await send({ method: "POST", path: "/login", headers: { "x-own": "1", via: "theirs" } });
        throw new TypeError("It cannot be read");
      });
      expect(found).toBe(fault);
      expect(server.arrivals.at(-1)).toMatchObject({
        url: "/api/login",
        headers: { "x-own": "1", "x-api-key": "key-1", via: "1.1 insurance-gateway" },
      });
      await expect.poll(() => transport.underWay()).toBe(0);
    },
  );

  it("may not act at the insurer, and is not there without an adapter for it", async () => {
    const before = server.arrivals.length;
    const acting = await logInWith(async (_, send) => {
      await send({ method: "POST", path: "/login", acts: true });
      return { headers: null, expiresInSeconds: null };
    });
    expect([acting, await logInWith(undefined)]).toEqual(["unusable", "unusable"]);
    expect(server.arrivals).toHaveLength(before);
  });
});

describe("a credential's header", () => {
  it("is none of the connection, the message or the gateway's own", () => {
    const taken = [
      ["host", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"],
      ["expect", "via", "proxy-authorization", "content-type", "content-length", "accept"],
      ["idempotency-key", "x-request-id", "x-sandbox-scenario", "traceparent", "tracestate"],
    ].flat();
    const all = [...taken, ...taken.map((name) => name.toUpperCase())];
    expect(all.filter(isAllowedHeader)).toEqual([]);
    const free = ["authorization", "x-api-key", "cookie", "x-host", "hostname", "x-via", "tea"];
    expect(free.filter(isAllowedHeader)).toEqual(free);
  });

  it("has a value of printable ASCII", () => {
    const values = ["a", " ", "~", "", "\t", "\u007f", "a\nb", "α"];
    expect(values.map(isHeaderValue)).toEqual([true, true, true, ...Array(5).fill(false)]);
  });
});

it.each<[string, () => Promise<unknown>]>([
  ["a token", () => fetchToken(clientOf(), transport)],
  ["a login", () => logInWith(sendOnce)],
])("the connection of %s is used again within a second, and not later", async (_, ask) => {
  const sockets: unknown[] = [];
  server.behaviour = (response, arrival) => {
    sockets.push(response.socket);
    json(200, { access_token: "t" })(response, arrival);
  };
  const real = performance.now.bind(performance);
  let later = 0;
  vi.spyOn(performance, "now").mockImplementation(() => real() + later);
  onTestFinished(() => void vi.restoreAllMocks());
  const usesLastAgain = async (): Promise<boolean> => {
    await ask();
    // A connection is free a turn of the loop after its answer.
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    return sockets.at(-1) === sockets.at(-2);
  };
  await expect.poll(usesLastAgain).toBe(true);
  later = 2_000;
  expect(await usesLastAgain()).toBe(false);
});
