import { generateKeyPairSync } from "node:crypto";
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
import { waitTurns } from "../../harness/turns.ts";

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

/** Returns the headers and the lifetime of a fetched token, or the reason why the fetch failed. */
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
/** Logs in with an adapter that has this login function; undefined for an adapter without a login. */
function logInWith(login: NonNullable<Adapter["login"]> | undefined): Promise<unknown> {
  const adapter: Adapter = {
    name: "x",
    failures: [],
    call: () => Promise.reject(new TypeError("It only logs in")),
    ...(login === undefined ? {} : { login }),
  };
  const answers = { jsonBytes: 1_000, documentBytes: 1_000, staleHours: 0 };
  const apiKey = { headers: { "x-api-key": "key-1" }, login: null };
  const otherCredentials = jointCredentials([
    fixedCredentials({ content: apiKey, isReplaced: () => false }),
  ]);
  const insurer = { adapter, answers, baseUrl: server.baseUrl, settings: { office: "7" } };
  const parts = { login: user, timeoutMs: 10_000, insurer, transport, otherCredentials };
  return resultOf(logIn(parts));
}

/** A login function that sends one request. */
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
  ])(
    "the gateway reads a token and a lifetime from a token server's answer, or reports a fault: status %i with %j, result %s",
    async (status, body, expected) => {
      server.behaviour = json(status, body);
      const found = await resultOf(fetchToken(clientOf(), transport));
      const isFault = typeof expected === "string";
      const headers = { authorization: "Bearer t" };
      expect(found).toEqual(isFault ? expected : { headers, login: null, lifeMs: expected });
    },
  );
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

  it("a token request has the client's id and secret either in the body or, form-encoded, in the Authorization header", async () => {
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

  it("a token request has a signed assertion for this token server, with a lifetime of one minute and a unique id", async () => {
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

describe("a login by the adapter", () => {
  const session = { "X-Session": "s" };
  it.each<[string, LoginAnswer["headers"], number | null, unknown]>([
    ["headers and a lifetime", session, 2, 2_000],
    ["headers without a lifetime", session, null, null],
    ["a refusal", null, null, "refused"],
    ["no header", {}, null, "unusable"],
    ["an invalid lifetime", session, Number.NaN, "unusable"],
    ["a reserved header", { Via: "s" }, null, "unusable"],
    ["a header with an invalid name", { "a b": "s" }, null, "unusable"],
    ["a header with an empty value", { a: "" }, null, "unusable"],
    ["a valid and an invalid header", { a: "s", b: "σ" }, null, "unusable"],
  ])(
    "the gateway uses the headers that a login returns, or reports a fault if the headers are not usable: %s",
    async (_, headers, expiresInSeconds, expected) => {
      const found = await logInWith(async () => ({ headers, expiresInSeconds }));
      if (typeof expected === "string") return expect(found).toBe(expected);
      expect(found).toEqual({ headers: { "x-session": "s" }, login: null, lifeMs: expected });
    },
  );

  it.each([
    [200, "unusable"],
    [404, "unusable"],
    [429, "unreachable"],
    [499, "unusable"],
    [500, "unreachable"],
  ])(
    "a login fails if the adapter cannot read the insurer's answer: status %i is reported as %s",
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

  it("a login fails if the adapter has no login function, or marks the login's request as one on which the insurer acts", async () => {
    const before = server.arrivals.length;
    const acting = await logInWith(async (_, send) => {
      await send({ method: "POST", path: "/login", acts: true });
      return { headers: null, expiresInSeconds: null };
    });
    expect([acting, await logInWith(undefined)]).toEqual(["unusable", "unusable"]);
    expect(server.arrivals).toHaveLength(before);
  });
});

describe("the header of a credential", () => {
  it("a credential cannot set a header that controls the connection, describes the body or belongs to the gateway", () => {
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

  it("a credential's header value may contain only printable ASCII characters", () => {
    const values = ["a", " ", "~", "", "\t", "\u007f", "a\nb", "α"];
    expect(values.map(isHeaderValue)).toEqual([true, true, true, ...Array(5).fill(false)]);
  });
});

it.each<[string, () => Promise<unknown>]>([
  ["a token request", () => fetchToken(clientOf(), transport)],
  ["a login", () => logInWith(sendOnce)],
])(
  "the gateway uses a connection again only within a second after the last answer on the connection: %s",
  async (_, ask) => {
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
      // A connection can be used again one turn of the event loop after the last answer on the connection.
      await waitTurns(3);
      return sockets.at(-1) === sockets.at(-2);
    };
    await expect.poll(usesLastAgain).toBe(true);
    later = 2_000;
    expect(await usesLastAgain()).toBe(false);
  },
);
