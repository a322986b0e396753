import { generateKeyPairSync } from "node:crypto";
import { importSPKI, jwtVerify } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { applicationBody } from "../../harness/applications.ts";
import { json } from "../../harness/insurer.ts";
import {
  type CredentialSite,
  oauth2,
  type SiteOptions,
  startCredentialSite,
  tokensShown,
} from "./credential-site.ts";

let site: Awaited<ReturnType<typeof startCredentialSite>>;
afterEach(() => site.stop());

async function start(
  more: object = {},
  options: Partial<SiteOptions> = {},
): Promise<CredentialSite> {
  site = await startCredentialSite({ credentials: (tokens) => oauth2(tokens, more), ...options });
  return site;
}

function form(index = 0): URLSearchParams {
  return new URLSearchParams(site.tokens.arrivals[index]?.body);
}

describe("OAuth 2 client credentials", () => {
  it("all calls to an insurer share one token while the token is valid", async () => {
    await start();
    expect((await site.search()).status).toBe(200);
    expect((await site.submit(applicationBody())).status).toBe(201);
    expect(tokensShown(site)).toEqual(["token-1"]);
    expect(site.tokens.arrivals).toMatchObject([
      {
        method: "POST",
        url: "/api/token",
        body: "grant_type=client_credentials",
        headers: {
          accept: "application/json",
          "content-type": "application/x-www-form-urlencoded",
          authorization: `Basic ${btoa("broker:s3cret")}`,
        },
      },
    ]);
  });

  it("the header of a token request has the client's id and secret, both form-encoded (RFC 6749, section 2.3.1)", async () => {
    await start({ clientId: "a b" }, { environment: { CLIENT_SECRET: "p:ä+%" } });
    await site.search();
    expect(site.tokens.arrivals[0]?.headers.authorization).toBe(
      `Basic ${btoa("a+b:p%3A%C3%A4%2B%25")}`,
    );
  });

  it("the body of a token request has the secret, the scope and the audience if these are configured", async () => {
    const more = { scope: "read write", audience: "https://api.insurer.example" };
    await start({ clientAuthentication: "client_secret_post", ...more });
    await site.search();
    expect(Object.fromEntries(form())).toEqual({
      grant_type: "client_credentials",
      client_id: "broker",
      client_secret: "s3cret",
      ...more,
    });
    expect(site.tokens.arrivals[0]?.headers.authorization).toBeUndefined();
  });

  it.each([
    ["RS256", undefined, generateKeyPairSync("rsa", { modulusLength: 2_048 })],
    ["PS384", "PS384", generateKeyPairSync("rsa", { modulusLength: 2_048 })],
    ["ES256", undefined, generateKeyPairSync("ec", { namedCurve: "P-256" })],
    ["EdDSA", undefined, generateKeyPairSync("ed25519")],
  ])(
    "a token request has a client assertion that is signed with the configured private key: %s",
    async (alg, algorithm, { privateKey, publicKey }) => {
      const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      const client = {
        clientSecret: undefined,
        clientAuthentication: "private_key_jwt",
        algorithm,
      };
      await start(
        { ...client, privateKey: { env: "KEY" }, keyId: "k-1" },
        { environment: { KEY: key } },
      );
      expect((await site.search()).status).toBe(200);
      expect(form().get("client_assertion_type")).toBe(
        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      );
      const spki = publicKey.export({ type: "spki", format: "pem" }).toString();
      const { payload, protectedHeader } = await jwtVerify(
        form().get("client_assertion") ?? "",
        await importSPKI(spki, alg),
        {
          issuer: "broker",
          subject: "broker",
          audience: `${site.tokens.baseUrl}/token`,
          maxTokenAge: 60,
          requiredClaims: ["jti", "exp"],
        },
      );
      expect(protectedHeader).toMatchObject({ alg, kid: "k-1" });
      expect(Number(payload.exp) - Number(payload.iat)).toBe(60);
    },
  );

  it("the gateway fetches one token for 100 simultaneous calls", async () => {
    await start();
    const calls = Array.from({ length: 100 }, () => site.search());
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(site.tokens.arrivals).toHaveLength(1);
  });

  it.each([
    ["a lifetime as text, and no type", { access_token: "t", expires_in: "300" }],
    ["no lifetime", { access_token: "t", token_type: "bearer" }],
    ["additional fields", { access_token: "t", token_type: "BEARER", id_token: "x", scope: 7 }],
  ])("the gateway accepts a token server's unusual answer: %s", async (_, answer) => {
    await start();
    site.tokens.grant = json(200, answer);
    site.accepts = ({ headers }) => headers.authorization === "Bearer t";
    expect((await site.search()).status).toBe(200);
  });
});
