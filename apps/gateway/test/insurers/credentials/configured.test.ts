import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { generate } from "selfsigned";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { insurerConfiguration, startInProcess } from "../../harness/gateway-in-process.ts";
import { reloadWhenSettled } from "../../reload/settled.ts";
import { type CredentialSite, oauth2, startCredentialSite } from "./credential-site.ts";

const secret = { env: "SECRET" };
const client = { type: "oauth2", tokenUrl: "https://login.example/token", clientId: "broker" };
const withSecret = { ...client, clientSecret: secret };
const withKey = { ...client, clientAuthentication: "private_key_jwt", privateKey: secret };
const apiKey = { type: "apiKey", header: "X-Api-Key", value: secret };
const login = { type: "login", username: secret, password: secret };
const pem = { type: "pkcs8", format: "pem" } as const;
const weakKey = generateKeyPairSync("rsa", { modulusLength: 1_024 }).privateKey.export(pem);
const curveKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(pem);

describe("the configuration of credentials", () => {
  it.each<[string, unknown, string, RegExp]>([
    ["a client without a secret", client, "", /credentials\.clientSecret: is required/],
    [
      "a key for a secret",
      { ...withSecret, keyId: "k" },
      "s",
      /credentials\.keyId: must not be set for/,
    ],
    [
      "a secret for a key",
      { ...withKey, clientSecret: secret },
      "s",
      /clientSecret: must not be set for/,
    ],
    ["what is no key", withKey, "s3cret", /credentials\.privateKey: must be a private key in PEM/],
    [
      "a weak key",
      withKey,
      String(weakKey),
      /privateKey: must be an RSA key \(2048 bits or more\)/,
    ],
    [
      "a key id for a client with a secret",
      { ...withSecret, keyId: "k" },
      "s",
      /credentials\.keyId: must not be set/,
    ],
    [
      "a secret for a client with a private key",
      { ...withKey, clientSecret: secret },
      "s",
      /clientSecret: must not be set/,
    ],
    [
      "a text that is not a private key",
      withKey,
      "s3cret",
      /credentials\.privateKey: must be a private key in PEM/,
    ],
    [
      "a weak key",
      withKey,
      String(weakKey),
      /privateKey: must be an RSA key \(2048 bits or more\)/,
    ],
    [
      "a key that does not fit the algorithm",
      { ...withKey, algorithm: "RS256" },
      String(curveKey),
      /privateKey: cannot sign with RS256/,
    ],
    [
      "a missing secret",
      withSecret,
      "",
      /credentials\.clientSecret: the environment variable SECRET/,
    ],
    [
      "a token address with a query",
      { ...withSecret, tokenUrl: "https://a.example/?k=1" },
      "s",
      /credentials\.tokenUrl: must have no user/,
    ],
    [
      "an unknown field",
      { ...withSecret, grant: "password" },
      "s",
      /credentials\.grant: is not an accepted key/,
    ],
    [
      "a login without an adapter that logs in",
      login,
      "s",
      /credentials: .* must have an adapter with a login/,
    ],
    [
      "two credentials for the same header",
      [{ type: "bearer", token: secret }, withSecret],
      "s",
      /credentials\[1\]: sets authorization a second time/,
    ],
    [
      "two API keys in one header",
      [apiKey, { ...apiKey, header: "x-api-key" }],
      "s",
      /credentials\[1\]: sets x-api-key/,
    ],
    [
      "type `none` in a list",
      [apiKey, { type: "none" }],
      "s",
      /credentials\[1\]: must not be in a list/,
    ],
    [
      "a list with an invalid credential",
      [apiKey, { ...login, username: "s3cret" }],
      "s",
      /credentials\[1\]\.username: .*env/,
    ],
    [
      "a list with a missing secret",
      [apiKey, { type: "bearer", token: { env: "NONE" } }],
      "s",
      /credentials\[1\]\.token: the environment/,
    ],
  ])(
    "the gateway refuses to start with invalid credentials: %s",
    async (_, credentials, value, fault) => {
      const provider = insurerConfiguration("d", "https://insurer.example", { credentials });
      const started = startInProcess({ providers: [provider] }, { SECRET: value });
      await expect(started).rejects.toThrow(fault);
      await expect(started).rejects.not.toThrow(/s3cret|PRIVATE/);
    },
  );

  it("the gateway refuses a token server without TLS in production", async () => {
    const credentials = { ...withSecret, tokenUrl: "http://login.example/token" };
    const provider = insurerConfiguration("d", "https://insurer.example", { credentials });
    const started = startInProcess(
      { providers: [provider] },
      { NODE_ENV: "production", SECRET: "s" },
    );
    await expect(started).rejects.toThrow(/credentials\.tokenUrl: must be https/);
  });
});

describe("configured credentials", () => {
  let site: CredentialSite & { stop(): Promise<void> };
  afterEach(() => site.stop());

  it("a request to the insurer carries both the API key and the token if both are configured", async () => {
    site = await startCredentialSite({
      credentials: (tokens) => [apiKey, oauth2(tokens)],
      environment: { SECRET: "key-1" },
    });
    expect((await site.search()).status).toBe(200);
    expect(site.insurer.arrivals[0]?.headers).toMatchObject({
      "x-api-key": "key-1",
      authorization: "Bearer token-1",
    });
    expect(site.tokens.arrivals[0]?.headers["x-api-key"]).toBeUndefined();
  });

  it("the gateway uses the new secret in a changed file as soon as two reads in a row return the same text", async () => {
    const folder = makeGatewayFolder();
    const file = join(folder.path, "secret.txt");
    writeFileSync(file, "old\n");
    site = await startCredentialSite({
      folder,
      credentials: () => ({ type: "bearer", token: { file: "secret.txt" } }),
    });
    site.accepts = ({ headers }) => headers.authorization === "Bearer new";
    expect((await site.search()).status).toBe(502);
    writeFileSync(file, "new\n");
    await reloadWhenSettled(site.time);
    expect((await site.search()).status).toBe(200);
    expect(site.insurer.arrivals.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer old",
      "Bearer new",
    ]);
    writeFileSync(file, "");
    await reloadWhenSettled(site.time);
    expect((await site.search()).status).toBe(200);
    expect(site.insurer.arrivals.at(-1)?.headers.authorization).toBe("Bearer new");
  });

  it("the gateway fetches a token with the TLS settings that are configured for the token server", async () => {
    const [server, ours] = [await certify("login"), await certify("gateway")];
    const tls = { ...server, ca: ours.cert, requestCert: true, rejectUnauthorized: true };
    const tokens = createServer(tls, (_, response) => {
      response.end(JSON.stringify({ access_token: "over-tls" }));
    }).listen(0);
    await once(tokens, "listening");
    onTestFinished(() => void tokens.close());
    const { port } = tokens.address() as AddressInfo; // the server listens on TCP
    const configured = {
      authorities: { env: "AUTHORITY" },
      client: { certificate: { env: "CERTIFICATE" }, key: { env: "KEY" } },
    };
    site = await startCredentialSite({
      credentials: (server) =>
        oauth2(server, { tokenUrl: `https://localhost:${port}/token`, tls: configured }),
      environment: { AUTHORITY: server.cert, CERTIFICATE: ours.cert, KEY: ours.key },
    });
    site.accepts = ({ headers }) => headers.authorization === "Bearer over-tls";
    expect((await site.search()).status).toBe(200);
  });
});

async function certify(name: string): Promise<{ cert: string; key: string }> {
  const { cert, private: key } = await generate([{ name: "commonName", value: name }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  return { cert, key };
}
