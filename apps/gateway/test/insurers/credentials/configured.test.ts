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
import { type CredentialSite, oauth2, startCredentialSite } from "./site.ts";

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
      "a key of another kind",
      { ...withKey, algorithm: "RS256" },
      String(curveKey),
      /privateKey: cannot sign with RS256/,
    ],
    [
      "a secret that is not there",
      withSecret,
      "",
      /credentials\.clientSecret: the environment variable SECRET/,
    ],
    [
      "an address with a query",
      { ...withSecret, tokenUrl: "https://a.example/?k=1" },
      "s",
      /credentials\.tokenUrl: must have no user/,
    ],
    [
      "an unknown key",
      { ...withSecret, grant: "password" },
      "s",
      /credentials\.grant: is not an accepted key/,
    ],
    [
      "a login without an adapter for it",
      login,
      "s",
      /credentials: .* must have an adapter with a login/,
    ],
    [
      "two that set a header",
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
      "none beside another",
      [apiKey, { type: "none" }],
      "s",
      /credentials\[1\]: must not be in a list/,
    ],
    [
      "a list with a fault",
      [apiKey, { ...login, username: "s3cret" }],
      "s",
      /credentials\[1\]\.username: .*env/,
    ],
    [
      "a secret of a list that is not there",
      [apiKey, { type: "bearer", token: { env: "NONE" } }],
      "s",
      /credentials\[1\]\.token: the environment/,
    ],
  ])("refuses %s", async (_, credentials, value, fault) => {
    const provider = insurerConfiguration("d", "https://insurer.example", { credentials });
    const started = startInProcess({ providers: [provider] }, { SECRET: value });
    await expect(started).rejects.toThrow(fault);
    await expect(started).rejects.not.toThrow(/s3cret|PRIVATE/);
  });

  it("refuses a token server that is not reached safely in production", async () => {
    const credentials = { ...withSecret, tokenUrl: "http://login.example/token" };
    const provider = insurerConfiguration("d", "https://insurer.example", { credentials });
    const started = startInProcess(
      { providers: [provider] },
      { NODE_ENV: "production", SECRET: "s" },
    );
    await expect(started).rejects.toThrow(/credentials\.tokenUrl: must be https/);
  });
});

describe("credentials", () => {
  let site: CredentialSite & { stop(): Promise<void> };
  afterEach(() => site.stop());

  it("can be several at once", async () => {
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

  it("credentials that are not fetched are read from the current file, once it was read equal twice", async () => {
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

  it("can be fetched from a server with TLS settings of its own", async () => {
    const [server, ours] = [await certify("login"), await certify("gateway")];
    const tls = { ...server, ca: ours.cert, requestCert: true, rejectUnauthorized: true };
    const tokens = createServer(tls, (_, response) => {
      response.end(JSON.stringify({ access_token: "over-tls" }));
    }).listen(0);
    await once(tokens, "listening");
    onTestFinished(() => void tokens.close());
    const { port } = tokens.address() as AddressInfo; // it listens on TCP
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
