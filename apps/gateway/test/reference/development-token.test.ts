import { sandboxConfiguration } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { sendRaw } from "../harness/send-raw.ts";

let gateway: GatewayInProcess;

beforeAll(async () => {
  gateway = await startInProcess(sandboxConfiguration);
});
afterAll(() => gateway.stop());

/** Requests a development token. Default headers: the headers that a page of the reference sends. */
async function ask(headers: Readonly<Record<string, string>>, method = "POST"): Promise<string> {
  const { host } = new URL(gateway.address);
  const usual = {
    host,
    origin: `http://${host}`,
    "sec-fetch-site": "same-origin",
    "x-start-secret": secretOf(gateway),
  };
  const sent = Object.entries({ ...usual, ...headers })
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return sendRaw(
    gateway.address,
    `${method} /reference/development-token HTTP/1.1\r\n${sent.join("")}content-length: 0\r\nconnection: close\r\n\r\n`,
  );
}

/** Returns the fragment of the reference's printed address. */
function secretOf({ referenceAddress }: GatewayInProcess): string {
  return new URL(referenceAddress ?? "").hash.replace("#start=", "");
}

const named = (host: string): Readonly<Record<string, string>> => ({
  host,
  origin: `http://${host}`,
});

describe("the button for a development token", () => {
  it("a page of the reference receives a development token that works", async () => {
    const answer = await ask({});
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain("cache-control: no-store");
    const { token } = JSON.parse(answer.slice(answer.indexOf("{")));
    const call = await fetch(`${gateway.address}/provider-a/auto/brands`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(call.status).toBe(200);
    await call.arrayBuffer();
    expect(gateway.log.join("")).not.toContain(token);
  });

  it.each([
    ["another site in the same browser", { "sec-fetch-site": "cross-site" }],
    ["another port of the same site", { "sec-fetch-site": "same-site" }],
    ["a typed address", { "sec-fetch-site": "none" }],
    ["no header Sec-Fetch-Site", { "sec-fetch-site": "" }],
    ["another origin", { origin: "https://evil.example" }],
    ["no origin", { origin: "" }],
    ["a host name that an attacker points to this address", named("evil.example")],
    ["a host name that looks like this machine's", named("127.0.0.1.evil.example")],
    [
      "a forwarded host name of this machine",
      { ...named("evil.example"), "x-forwarded-host": "localhost" },
    ],
    ["no secret of this start", { "x-start-secret": "" }],
    ["a guessed secret", { "x-start-secret": "a".repeat(43) }],
    ["the header of a proxy", { via: "1.1 somewhere" }],
    ["the address of another machine from nginx", { "x-real-ip": "203.0.113.9" }],
    ["the address of another machine from a proxy", { "x-forwarded-for": "203.0.113.9" }],
    ["the header Forwarded with another machine's address", { forwarded: "for=203.0.113.9" }],
  ])("the gateway issues no development token for a request with %s", async (_, headers) => {
    const answer = await ask(headers);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).not.toContain('"token"');
  });

  it("the secret for development tokens is random, new at each start, and not in the log", async () => {
    const other = await startInProcess(sandboxConfiguration);
    const secrets = [gateway, other].map(secretOf);
    await other.stop();
    expect(new Set(secrets).size).toBe(2);
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
    const refused = await ask({ "x-start-secret": secrets[1] ?? "" });
    expect(refused).toMatch(/^HTTP\/1\.1 403 /);
    for (const secret of secrets) expect(gateway.log.join("")).not.toContain(secret);
  });

  it("the gateway answers 405 to a GET request for a development token, so that no link can fetch a token", async () => {
    expect(await ask({}, "GET")).toMatch(/^HTTP\/1\.1 405 /);
  });
});

describe("a development gateway behind a load balancer", () => {
  it("a gateway with trusted proxies issues no development tokens, because it does not know the callers' machines", async () => {
    const other = await startInProcess({
      ...sandboxConfiguration,
      listen: { trustedProxies: ["127.0.0.1"] },
    });
    const { host } = new URL(other.address);
    const answer = await fetch(`${other.address}/reference/development-token`, {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin", origin: `http://${host}` },
    });
    await other.stop();
    expect(answer.status).toBe(404);
    expect(other.referenceAddress).toBe(`${other.address}/reference`);
  });
});

describe("a gateway with a configured issuer", () => {
  it("a gateway with a configured issuer answers 404 to a request for a development token, and shows no button for tokens", async () => {
    const other = await startInProcess({
      issuers: [
        {
          issuer: "https://login.example",
          audience: "insurance-gateway",
          jwksUri: "https://login.example/jwks.json",
          algorithms: ["RS256"],
        },
      ],
      ...sandboxConfiguration,
    });
    const page = await (await fetch(`${other.address}/reference`)).text();
    const answer = await fetch(`${other.address}/reference/development-token`, {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin" },
    });
    await other.stop();
    expect(page).not.toContain("development-token");
    expect(answer.status).toBe(404);
  });
});
