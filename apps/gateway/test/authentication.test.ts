import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { runCommand, sandboxConfiguration } from "@insurance-gateway/running-gateway";
import {
  exportJWK,
  exportSPKI,
  type GenerateKeyPairResult,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "./harness/gateway-in-process.ts";

const ISSUER = "https://login.example";
const AUDIENCE = "insurance-gateway";

describe("tokens of a configured issuer", () => {
  let keyServer: Server;
  let gateway: GatewayInProcess;
  let keys: GenerateKeyPairResult;
  let keysAvailable = true;

  beforeAll(async () => {
    keys = await generateKeyPair("RS256", { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "one", alg: "RS256" }] };
    keyServer = createServer((_, response) => {
      response.writeHead(keysAvailable ? 200 : 503, { "content-type": "application/json" });
      response.end(keysAvailable ? JSON.stringify(jwks) : "{}");
    }).listen(0, "127.0.0.1");
    await once(keyServer, "listening");
    const { port } = keyServer.address() as AddressInfo; // it listens on TCP
    gateway = await startInProcess({
      ...sandboxConfiguration,
      issuers: [
        {
          issuer: ISSUER,
          audience: AUDIENCE,
          jwksUri: `http://127.0.0.1:${port}/jwks`,
          algorithms: ["RS256"],
        },
      ],
    });
  });
  afterAll(async () => {
    await gateway.stop();
    keyServer.close();
  });

  const token = (claims: object = {}, lifetime = "5 minutes"): SignJWT =>
    new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: "broker-7", ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setExpirationTime(lifetime);
  const ask = (authorization: string | null, path = "/provider-a/auto/brands"): Promise<Response> =>
    fetch(gateway.address + path, { headers: authorization === null ? {} : { authorization } });

  it("are accepted, whatever the case of the scheme", async () => {
    const signed = await token().sign(keys.privateKey);
    expect((await ask(`Bearer ${signed}`)).status).toBe(200);
    expect((await ask(`bearer ${signed}`)).status).toBe(200);
  });

  it("are accepted up to 60 seconds after their expiry, because clocks differ", async () => {
    const signed = await token({}, "30 seconds ago").sign(keys.privateKey);
    expect((await ask(`Bearer ${signed}`)).status).toBe(200);
  });

  it("may name a client where they have no subject", async () => {
    const signed = await token({ sub: undefined, client_id: "batch" }).sign(keys.privateKey);
    expect((await ask(`Bearer ${signed}`)).status).toBe(200);
  });

  const forged: Readonly<Record<string, () => Promise<string | null>>> = {
    "no header": async () => null,
    "another scheme": async () => `Basic ${btoa("user:password")}`,
    "no token": async () => "Bearer ",
    "something that is no JWT": async () => "Bearer abc",
    "spaces inside": async () => {
      const [head, ...rest] = (await token().sign(keys.privateKey)).split(".");
      return `Bearer ${head} .${rest.join(".")}`;
    },
    "another issuer": async () =>
      `Bearer ${await token({ iss: "https://evil.example" }).sign(keys.privateKey)}`,
    "another audience": async () =>
      `Bearer ${await token({ aud: "something-else" }).sign(keys.privateKey)}`,
    expired: async () => `Bearer ${await token({}, "2 minutes ago").sign(keys.privateKey)}`,
    "not valid yet": async () =>
      `Bearer ${await token().setNotBefore("5 minutes").sign(keys.privateKey)}`,
    "no expiry": async () => {
      const signed = new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: "broker-7" });
      return `Bearer ${await signed.setProtectedHeader({ alg: "RS256", kid: "one" }).sign(keys.privateKey)}`;
    },
    "nobody it speaks for": async () =>
      `Bearer ${await token({ sub: undefined }).sign(keys.privateKey)}`,
    "a key of somebody else": async () => {
      const other = await generateKeyPair("RS256");
      return `Bearer ${await token().sign(other.privateKey)}`;
    },
    "no signature": async () => {
      const claims = { iss: ISSUER, aud: AUDIENCE, sub: "broker-7" };
      return `Bearer ${new UnsecuredJWT(claims).setExpirationTime("5 minutes").encode()}`;
    },
    "the public key used as a shared secret": async () => {
      const secret = new TextEncoder().encode(await exportSPKI(keys.publicKey));
      const forging = new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: "broker-7" });
      const signed = await forging
        .setProtectedHeader({ alg: "HS256", kid: "one" })
        .setExpirationTime("5 minutes")
        .sign(secret);
      return `Bearer ${signed}`;
    },
    "an algorithm that is not configured": async () => {
      const other = await generateKeyPair("ES256");
      const signed = await new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: "broker-7" })
        .setProtectedHeader({ alg: "ES256", kid: "one" })
        .setExpirationTime("5 minutes")
        .sign(other.privateKey);
      return `Bearer ${signed}`;
    },
    "a changed payload": async () => {
      const [head, , signature] = (await token().sign(keys.privateKey)).split(".");
      const payload = btoa(JSON.stringify({ iss: ISSUER, aud: AUDIENCE, sub: "admin", exp: 2e9 }));
      return `Bearer ${head}.${payload.replace(/=+$/, "")}.${signature}`;
    },
    "more than 8 kB": async () =>
      `Bearer ${await token({ filler: "x".repeat(9_000) }).sign(keys.privateKey)}`,
  };

  it.each(Object.entries(forged))("are refused: %s", async (name, make) => {
    const response = await ask(await make());
    const body: unknown = await response.json();

    expect(response.status).toBe(401);
    expect(body).toMatchObject({ code: "UNAUTHENTICATED", outcome: "not_sent", retry: "never" });
    const challenge = response.headers.get("www-authenticate");
    if (name === "no header") expect(challenge).toBe('Bearer realm="insurance-gateway"');
    else expect(challenge).toBe('Bearer realm="insurance-gateway", error="invalid_token"');
  });

  it.each(["/no/such/route", "/", "/%E0%A4%A", "/provider-a/auto/brands?x=1"])(
    "are asked for before the path %s is looked at",
    async (path) => {
      expect((await ask(null, path)).status).toBe(401);
    },
  );

  it("of the development issuer are not accepted beside a configured one", async () => {
    expect((await ask(`Bearer ${gateway.token}`)).status).toBe(401);
  });

  it("cannot be checked while the issuer's keys cannot be had: 500, not 401", async () => {
    keysAvailable = false;
    const fresh = await startInProcess({
      providers: [sandboxConfiguration.providers[0]],
      issuers: [
        {
          issuer: ISSUER,
          audience: AUDIENCE,
          jwksUri: `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/jwks`, // it listens on TCP
          algorithms: ["RS256"],
        },
      ],
    });
    const authorization = `Bearer ${await token().sign(keys.privateKey)}`;
    const response = await fetch(`${fresh.address}/provider-a/auto/brands`, {
      headers: { authorization },
    });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: "INTERNAL_ERROR", retry: "safe" });
    await fresh.stop();
    keysAvailable = true;
  });
});

describe("the development issuer", () => {
  it("prints a token and nothing else, varied by its options", async () => {
    const gateway = await startInProcess({
      providers: [sandboxConfiguration.providers[0]],
    });
    const { code, stdout, stderr } = await runCommand(
      gateway.folder.path,
      "token --subject broker-9 --scope provider-a:lookup --expires-in 60".split(" "),
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const claims = JSON.parse(Buffer.from(stdout.split(".")[1] ?? "", "base64url").toString());
    expect(claims).toMatchObject({ sub: "broker-9", scope: "provider-a:lookup" });
    expect(claims.exp - claims.iat).toBe(60);
    const response = await fetch(`${gateway.address}/provider-a/auto/brands`, {
      headers: { authorization: `Bearer ${stdout.trim()}` },
    });
    expect(response.status).toBe(200);
    await gateway.stop();
  });

  it("refuses to run in production", async () => {
    const gateway = await startInProcess({
      providers: [sandboxConfiguration.providers[0]],
    });
    for (const command of ["serve", "token"]) {
      const ended = await runCommand(gateway.folder.path, [command], { NODE_ENV: "production" });
      expect(ended.code).toBe(78);
      expect(ended.stderr).toContain("issuers:");
    }
    await gateway.stop();
  });
});
