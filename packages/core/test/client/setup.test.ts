import { describe, expect, it } from "vitest";
import { createGateway, type GatewayOptions, TokenError } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import { listBrands, providerM } from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { NOBODY_LISTENS } from "../harness/listen.ts";
import { json } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

const brands = json({ items: ["Toyota"] });

describe("the token of a client", () => {
  it("the client reads the token from GATEWAY_TOKEN at each request if no token is configured", async () => {
    const server = await scriptedServer(brands);
    const gateway = createGateway({ baseUrl: server.address });
    delete process.env.GATEWAY_TOKEN;
    const failure = await failureOf(gateway.call(listBrands));
    expect(TokenError.isInstance(failure)).toBe(true);
    expect(String(failure)).toContain("GATEWAY_TOKEN is not set");
    process.env.GATEWAY_TOKEN = "from-the-environment";
    await gateway.call(listBrands);
    delete process.env.GATEWAY_TOKEN;
    expect(server.arrivals.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer from-the-environment",
    ]);
    await gateway.close();
  });

  it.each<[string, () => string | Promise<string>, string]>([
    [
      "an exception",
      () => {
        throw new Error("canary-secret");
      },
      "the token function failed",
    ],
    [
      "a rejected promise",
      () => Promise.reject(new Error("canary-secret")),
      "the token function failed",
    ],
    ["an empty text", () => "", "the token is empty or has invalid characters"],
    ["the whole header value", () => "Bearer canary", "the token must not include `Bearer`"],
    [
      "a text with a line break",
      () => "canary\r\nx: y",
      "the token is empty or has invalid characters",
    ],
    // A caller without types can return any value.
    ["no value", () => undefined as never, "the token is empty or has invalid characters"],
  ])(
    "the client sends nothing, and its error repeats no text of the token function, if the function's result is unusable: %s",
    async (_, token, text) => {
      const server = await scriptedServer(brands);
      const failure = await failureOf(connect(server.address, { token }).call(listBrands));
      expect(TokenError.isInstance(failure)).toBe(true);
      expect(failure).toMatchObject({
        code: "TOKEN_UNAVAILABLE",
        outcome: "not_sent",
        retry: text.startsWith("the token function") ? "safe" : "never",
        provider: "provider-m",
        endpoint: "GET /brands",
      });
      expect(String(failure)).toContain(text);
      expect(String(failure)).not.toContain("canary");
      expect(server.arrivals).toEqual([]);
    },
  );
});

describe("the client's options", () => {
  function faultsOf(options: Partial<GatewayOptions>): unknown {
    try {
      createGateway({ baseUrl: "http://127.0.0.1:8080", token: "t", ...options });
    } catch (error) {
      return error;
    }
    return undefined;
  }

  it.each<[string, Partial<GatewayOptions>, string]>([
    ["an empty address", { baseUrl: "" }, "baseUrl must be an absolute http or https address"],
    [
      "a path as address",
      { baseUrl: "/gateway" },
      "baseUrl must be an absolute http or https address",
    ],
    [
      "an address with another scheme",
      { baseUrl: "ftp://x" },
      "baseUrl must be an absolute http or https address",
    ],
    [
      "a user name in the address",
      { baseUrl: "http://canary@x" },
      "baseUrl must have no credentials, query or fragment",
    ],
    [
      "only a password in the address",
      { baseUrl: "http://:canary@x" },
      "baseUrl must have no credentials, query or fragment",
    ],
    [
      "a query in the address",
      { baseUrl: "http://x/?a=canary" },
      "baseUrl must have no credentials, query or fragment",
    ],
    ["an empty token", { token: " " }, "token must not be empty; is the environment variable set?"],
    [
      "the whole header value as token",
      { token: "Bearer canary" },
      "token must not include `Bearer`, which the client adds",
    ],
    [
      "a connect timeout of 0",
      { connectTimeout: 0 },
      "connectTimeout must be a whole number of milliseconds from 1 to 2147483647",
    ],
    [
      "a fraction of a millisecond as connect timeout",
      { connectTimeout: 2_500.5 },
      "connectTimeout must be a whole number of milliseconds from 1 to 2147483647",
    ],
    [
      "a proxy without a scheme",
      { proxy: "canary:3128" },
      "proxy must be an http or https address, with %25 for each % in its user name and password, or false",
    ],
    [
      "a proxy whose password has a bare %",
      { proxy: "http://user:canary%@proxy.test:3128" },
      "proxy must be an http or https address, with %25 for each % in its user name and password, or false",
    ],
    [
      "the path of a certificate instead of its text",
      { tls: { authorities: "/canary.pem" } },
      "tls.authorities must be a PEM text, not the path of a file",
    ],
    [
      "a certificate without the private key",
      { tls: { certificate: "-----BEGIN CERTIFICATE-----" } },
      "tls.certificate and tls.key must be given together",
    ],
    ["a hook that is not a function", { onError: "x" as never }, "onError must be a function"],
    ["a timeout of 0", { timeout: 0 }, "timeout must be a positive number of milliseconds"],
    [
      "a timeout that is not a number",
      { timeout: Number.NaN },
      "timeout must be a number of milliseconds",
    ],
    [
      "a segment with a slash",
      { segments: { a: "b/c" } },
      'segments["a"] must be one path segment',
    ],
    ["the segment `..`", { segments: { a: ".." } }, 'segments["a"] must be one path segment'],
    ["an empty segment", { segments: { a: "" } }, 'segments["a"] must be one path segment'],
  ])("the client refuses options with %s", (_, options, fault) => {
    const failure = faultsOf(options);
    expect(failure).toMatchObject({
      name: "ConfigurationError",
      faults: [fault],
      message: `The options of the gateway client are invalid: ${fault}`,
    });
    expect(String(failure)).not.toContain("canary");
  });

  it("the client names every fault of its options at once", () => {
    const faults = [
      "baseUrl must be an absolute http or https address",
      "token must not be empty; is the environment variable set?",
      "timeout must be a positive number of milliseconds",
      'segments["a"] must be one path segment',
    ];
    expect(faultsOf({ baseUrl: "x", token: "", timeout: -1, segments: { a: "/" } })).toMatchObject({
      message: `The options of the gateway client are invalid: ${faults.join("; ")}`,
      faults,
    });
  });

  it("the client opens no connection before the first call", async () => {
    const server = await scriptedServer(brands);
    const gateway = connect(server.address);
    gateway.provider(providerM);
    await gateway.close();
    expect(server.connections()).toBe(0);
  });

  it("a client can be closed more than once", async () => {
    const gateway = connect(NOBODY_LISTENS);
    await gateway.close();
    await expect(gateway.close()).resolves.toBeUndefined();
  });
});
