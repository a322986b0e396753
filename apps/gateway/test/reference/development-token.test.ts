import { sandboxConfiguration } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { sendRaw } from "../harness/send-raw.ts";

let gateway: GatewayInProcess;

beforeAll(async () => {
  gateway = await startInProcess(sandboxConfiguration);
});
afterAll(() => gateway.stop());

/** Asks for a token with headers of one's own; the usual ones are those of the reference's own page. */
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
  it("gives the reference's own page a token that works", async () => {
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
    ["an address that was typed", { "sec-fetch-site": "none" }],
    ["what does not say where it comes from", { "sec-fetch-site": "" }],
    ["another origin", { origin: "https://evil.example" }],
    ["no origin", { origin: "" }],
    ["a name that was bound to this address", named("evil.example")],
    ["a name that looks like this machine", named("127.0.0.1.evil.example")],
    [
      "a name that says it is this machine",
      { ...named("evil.example"), "x-forwarded-host": "localhost" },
    ],
    ["who does not know the secret of this start", { "x-start-secret": "" }],
    ["who guesses it", { "x-start-secret": "a".repeat(43) }],
    ["what came through a proxy", { via: "1.1 somewhere" }],
    ["another machine behind nginx", { "x-real-ip": "203.0.113.9" }],
    ["another machine behind a proxy", { "x-forwarded-for": "203.0.113.9" }],
    ["another machine behind a proxy of the newer kind", { forwarded: "for=203.0.113.9" }],
  ])("gives none to %s", async (_, headers) => {
    const answer = await ask(headers);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).not.toContain('"token"');
  });

  it("needs a secret that is random, new at each start, and in no log", async () => {
    const other = await startInProcess(sandboxConfiguration);
    const secrets = [gateway, other].map(secretOf);
    await other.stop();
    expect(new Set(secrets).size).toBe(2);
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
    const refused = await ask({ "x-start-secret": secrets[1] ?? "" });
    expect(refused).toMatch(/^HTTP\/1\.1 403 /);
    for (const secret of secrets) expect(gateway.log.join("")).not.toContain(secret);
  });

  it("is not read: a link or a picture cannot fetch one", async () => {
    expect(await ask({}, "GET")).toMatch(/^HTTP\/1\.1 405 /);
  });
});

describe("a gateway behind a load balancer", () => {
  it("has no such button, because every caller seems to be on its machine", async () => {
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

describe("a gateway whose tokens come from an issuer of the operator's", () => {
  it("has no such button, and nothing behind it", async () => {
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
