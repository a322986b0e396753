import { createServer } from "node:https";
import { createServer as createPlainServer } from "node:net";
import { generate } from "selfsigned";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { clientCredentials } from "../../src/auth/index.ts";
import { ConfigurationError } from "../../src/index.ts";
import { bareServer } from "../harness/bare-server.ts";
import { connect } from "../harness/connect.ts";
import { createPolicy, issuedPolicy, listBrands, policyBody } from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { listen, NOBODY_LISTENS } from "../harness/listen.ts";
import { json } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";
import { forwardProxy } from "./proxy.ts";

const brands = { items: ["Toyota"] };

interface TlsServer {
  /** Address of the server, with the host 127.0.0.1. */
  readonly address: string;
  /** Address of the server, with the host name of the server's certificate. No resolver knows this name. */
  readonly named: string;
  readonly certificate: string;
  /** Common names of the client certificates. */
  readonly callers: readonly unknown[];
}

/** Starts a gateway over TLS with a self-signed certificate. */
async function tlsServer(clients?: string): Promise<TlsServer> {
  const name = "gateway.test";
  const { cert, private: key } = await generate([{ name: "commonName", value: name }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: name }] }],
  });
  const callers: unknown[] = [];
  const asked = clients === undefined ? {} : { ca: clients, requestCert: true };
  const server = createServer({ cert, key, ...asked }, (request, response) => {
    callers.push((request.socket as import("node:tls").TLSSocket).getPeerCertificate().subject?.CN);
    response.setHeader("content-type", "application/json").end(JSON.stringify(brands));
  });
  const address = await listen(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = new URL(address);
  return { address, named: `https://${name}:${port}`, certificate: cert, callers };
}

/**
 * Answers every TLS handshake with the alert `bad_certificate`, as a TLS 1.2 gateway that refuses a certificate does.
 */
async function refusingTlsServer(): Promise<string> {
  const alert = Buffer.from([21, 3, 3, 0, 2, 2, 42]);
  const server = createPlainServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(alert));
  });
  const address = await listen(server);
  onTestFinished(() => void server.close());
  return address.replace("http:", "https:");
}

describe("proxies", () => {
  function setVariables(variables: Readonly<Record<string, string>>): void {
    for (const name of ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "no_proxy"])
      vi.stubEnv(name, undefined);
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
  }

  it("the client tunnels calls to an https gateway through the proxy of HTTPS_PROXY", async () => {
    const gateway = await tlsServer();
    const proxy = await forwardProxy(gateway.address);
    setVariables({ HTTPS_PROXY: proxy.address.replace("//", "//user:pass%3A@") });
    const tls = { authorities: gateway.certificate };
    const client = connect(gateway.named, { tls });
    expect(await client.call(listBrands)).toEqual(brands);
    expect(await client.call(listBrands)).toEqual(brands);
    expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT ${new URL(gateway.named).host}`]));
    expect(new Set(proxy.credentials)).toEqual(new Set([`Basic ${btoa("user:pass:")}`]));
  });

  it("the client sends calls to a plain http gateway, even submissions, through the proxy of HTTP_PROXY", async () => {
    const server = await scriptedServer(json(issuedPolicy, 201));
    const proxy = await forwardProxy(server.address);
    setVariables({ HTTP_PROXY: proxy.address });
    const client = connect("http://gateway.test");
    expect(await client.call(createPolicy, { body: policyBody })).toEqual(issuedPolicy);
    expect(proxy.requests).toEqual(["POST http://gateway.test/provider-m/policies"]);
    expect(server.arrivals[0]?.headers.host).toBe("gateway.test");
  });

  it("the client uses no proxy for a gateway in NO_PROXY, for a gateway on localhost, or with `proxy: false`", async () => {
    const server = await scriptedServer(json(brands));
    const proxy = await forwardProxy(server.address, 502);
    setVariables({ HTTP_PROXY: proxy.address, no_proxy: ".test" });
    await connect(server.address).call(listBrands);
    const excepted = { connectTimeout: 200, timeout: 400 };
    await failureOf(connect("http://gateway.test", excepted).call(listBrands));
    setVariables({ HTTP_PROXY: proxy.address });
    await failureOf(connect("http://gateway.test", { ...excepted, proxy: false }).call(listBrands));
    expect(proxy.requests).toEqual([]);
  });

  it("the client uses the proxy of the option `proxy` for every gateway, regardless of the environment variables", async () => {
    const server = await scriptedServer(json(brands));
    const proxy = await forwardProxy(server.address);
    setVariables({ HTTP_PROXY: NOBODY_LISTENS, no_proxy: "*" });
    await connect(server.address, { proxy: proxy.address }).call(listBrands);
    expect(proxy.requests).toEqual([`GET ${server.address}/provider-m/brands`]);
  });

  it("a call fails without a retry, and nothing is sent, if the proxy refuses the tunnel", async () => {
    const gateway = await tlsServer();
    const proxy = await forwardProxy(gateway.address, 407);
    const client = connect(gateway.named, { proxy: proxy.address });
    const failure = await failureOf(client.call(createPolicy, { body: policyBody }));
    expect(failure).toMatchObject({ outcome: "not_sent", retry: "never" });
    expect(String(failure)).toContain("PROXY_ANSWERED_407");
    expect(String(failure)).toContain("Correct `proxy`");
    expect(proxy.requests).toHaveLength(1);
  });

  it("the client accepts a proxy variable without a scheme", async () => {
    const server = await scriptedServer(json(brands));
    const proxy = await forwardProxy(server.address);
    setVariables({ HTTP_PROXY: new URL(proxy.address).host });
    expect(await connect("http://gateway.test").call(listBrands)).toEqual(brands);
    expect(proxy.requests).toEqual(["GET http://gateway.test/provider-m/brands"]);
  });

  it("the client uses HTTP_PROXY only for http gateways and HTTPS_PROXY only for https gateways", async () => {
    const proxy = await forwardProxy(NOBODY_LISTENS);
    const options = { connectTimeout: 200, timeout: 400 };
    setVariables({ HTTP_PROXY: proxy.address });
    await failureOf(connect("https://gateway.test", options).call(listBrands));
    setVariables({ HTTPS_PROXY: proxy.address });
    await failureOf(connect("http://gateway.test", options).call(listBrands));
    expect(proxy.requests).toEqual([]);
  });

  it.each(["socks5://proxy.test", "http://user:100%@proxy.test:3128"])(
    "the client refuses the invalid proxy variable %s only if the proxy applies to the gateway",
    (HTTPS_PROXY) => {
      setVariables({ HTTPS_PROXY });
      expect(() => connect("https://gateway.test")).toThrow(ConfigurationError);
      expect(() => connect("https://gateway.test")).toThrow(/HTTPS_PROXY must be/);
      for (const address of ["http://gateway.test", "https://localhost:8443"])
        expect(() => connect(address)).not.toThrow();
      for (const no_proxy of [
        "*",
        "a.test gateway.test",
        "x,.test",
        "*.test",
        "GATEWAY.test:443",
      ]) {
        setVariables({ HTTPS_PROXY, no_proxy });
        expect(() => connect("https://gateway.test")).not.toThrow();
      }
      for (const no_proxy of [
        "",
        "other.test",
        "*.gateway.test",
        "gateway.test:8443",
        "way.test",
      ]) {
        setVariables({ HTTPS_PROXY, no_proxy });
        expect(() => connect("https://gateway.test")).toThrow(/HTTPS_PROXY must be/);
      }
    },
  );

  it("a submission fails without a retry, and is not sent, if a proxy variable has become invalid", async () => {
    setVariables({});
    const attempts: unknown[] = [];
    const client = connect("http://gateway.test", { onAttempt: (one) => attempts.push(one) });
    setVariables({ HTTP_PROXY: "http://user:100%@proxy.test:3128" });
    const failure = await failureOf(client.call(createPolicy, { body: policyBody }));
    expect(failure).toMatchObject({ outcome: "not_sent", retry: "never" });
    expect(String(failure)).toContain("Correct `proxy`, or HTTPS_PROXY");
    expect(attempts).toHaveLength(1);
  });
});

it("a submission has the outcome `not_sent` if the TLS handshake takes longer than `connectTimeout`", async () => {
  const address = await bareServer(() => undefined);
  const client = connect(address.replace("http:", "https:"), { connectTimeout: 100 });
  const failure = await failureOf(client.call(createPolicy, { body: policyBody }));
  expect(failure).toMatchObject({ code: "CONNECTION_FAILED", outcome: "not_sent", retry: "safe" });
  expect(String(failure)).toContain("UND_ERR_CONNECT_TIMEOUT");
});

describe("certificates", () => {
  it("a call fails without a retry, and nothing is sent, if the gateway's certificate is not trusted", async () => {
    const { address } = await tlsServer();
    const attempts: unknown[] = [];
    const client = connect(address.replace("http:", "https:"), {
      onAttempt: (attempt) => attempts.push(attempt),
    });
    const failure = await failureOf(client.call(createPolicy, { body: policyBody }));
    expect(failure).toMatchObject({
      name: "ConnectionError",
      code: "CONNECTION_FAILED",
      outcome: "not_sent",
      retry: "never",
    });
    expect(String(failure)).toContain("DEPTH_ZERO_SELF_SIGNED_CERT");
    expect(String(failure)).toContain("`tls.authorities` or NODE_EXTRA_CA_CERTS");
    expect(attempts).toHaveLength(1);
  });

  it("a call fails without sending the client secret if the token server's certificate is not trusted", async () => {
    const { address, callers } = await tlsServer();
    const tokenUrl = address.replace("http:", "https:");
    const token = clientCredentials({ tokenUrl, clientId: "app", clientSecret: "s" });
    const failure = await failureOf(connect(NOBODY_LISTENS, { token }).call(listBrands));
    expect(failure).toMatchObject({ name: "TokenError", outcome: "not_sent", retry: "never" });
    expect(String(failure)).toContain("certificate of the token server is not accepted");
    expect(callers).toEqual([]);
  });

  it("a call fails without a retry if the gateway's certificate is for another name", async () => {
    const { address, certificate } = await tlsServer();
    const tls = { authorities: certificate };
    const client = connect(address.replace("http:", "https:"), { tls });
    const failure = await failureOf(client.call(listBrands));
    expect(failure).toMatchObject({ outcome: "not_sent", retry: "never" });
    expect(String(failure)).toContain("ERR_TLS_CERT_ALTNAME_INVALID");
  });

  it("the creation of a client fails if the private key of the client certificate belongs to another certificate", async () => {
    const own = await generate([{ name: "commonName", value: "application" }]);
    const other = await generate([{ name: "commonName", value: "other" }]);
    const certificate = own.cert;
    const damaged = certificate.replace(/\n[^-]{8}/, "\n????????");
    for (const tls of [
      { certificate, key: other.private },
      { certificate: damaged, key: own.private },
    ])
      expect(() => connect("https://gateway.test", { tls })).toThrow(
        /tls\.certificate and tls\.key must be a certificate and its own key/,
      );
  });

  it("a call fails without a retry if the gateway refuses the client certificate", async () => {
    const gateway = await refusingTlsServer();
    const client = connect(gateway, { tls: { authorities: "-----BEGIN CERTIFICATE-----" } });
    const failure = await failureOf(client.call(createPolicy, { body: policyBody }));
    expect(failure).toMatchObject({ outcome: "not_sent", retry: "never" });
    expect(String(failure)).toContain("refuses this client's certificate");
  });

  it("the client sends its certificate to a gateway that requests a client certificate", async () => {
    const own = await generate([{ name: "commonName", value: "application" }]);
    const gateway = await tlsServer(own.cert);
    const proxy = await forwardProxy(gateway.address);
    const client = connect(gateway.named, {
      proxy: proxy.address,
      tls: { authorities: gateway.certificate, certificate: own.cert, key: own.private },
    });
    expect(await client.call(listBrands)).toEqual(brands);
    expect(gateway.callers).toEqual(["application"]);
  });
});
