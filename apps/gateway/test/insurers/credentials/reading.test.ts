import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { CredentialsConfiguration } from "../../../src/configuration/file.ts";
import {
  type InsurerCredential,
  readCredentials,
} from "../../../src/configuration/insurer-credentials.ts";

const pem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();
const curve = (namedCurve: string): string =>
  pem(generateKeyPairSync("ec", { namedCurve }).privateKey);
const rsa = (modulusLength: number): string =>
  pem(generateKeyPairSync("rsa", { modulusLength }).privateKey);

const secrets: Readonly<Record<string, string>> = {
  USER: "Ελένη",
  PASSWORD: "pass:word",
  TOKEN: "t-1",
  GREEK: "κλειδί",
  LINE: "a\nb",
  EDGE: " ~",
  NONE: "",
};

/** Reads credentials; returns the result and the faults. */
function read(
  credentials: CredentialsConfiguration,
  more: Readonly<Record<string, string>> = {},
): { readonly found: readonly InsurerCredential[]; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const found = readCredentials(
    credentials,
    (secret, fault) => {
      const name = "env" in secret ? secret.env : "";
      const value = { ...secrets, ...more }[name];
      if (value === undefined) fault(`${name || "it"} is not set`);
      return value ?? "";
    },
    (path, message) => faults.push(`${path}: ${message}`),
  );
  return { found, faults };
}

const login = { username: { env: "USER" }, password: { env: "PASSWORD" } };
const header = (name: string, value: string): InsurerCredential => ({
  type: "fixed",
  content: { headers: { [name]: value }, login: null },
});
const client = {
  type: "oauth2",
  tokenUrl: "https://login.example/token",
  clientId: "c",
  clientAuthentication: "client_secret_basic",
  clientSecret: { env: "TOKEN" },
  timeoutMs: 5_000,
} as const;
const openClient = {
  type: "oauth2",
  tokenUrl: "https://login.example/token",
  clientId: "c",
  scope: undefined,
  audience: undefined,
  tls: { authorities: undefined, certificate: undefined, key: undefined },
  timeoutMs: 5_000,
} as const;

describe("configured credentials", () => {
  it.each<[CredentialsConfiguration, readonly unknown[], readonly string[]]>([
    [{ type: "none" }, [], []],
    [{ type: "bearer", token: { env: "TOKEN" } }, [header("authorization", "Bearer t-1")], []],
    [
      { type: "bearer", token: { env: "GREEK" } },
      [expect.anything()],
      [".token: must have only characters that a header may contain"],
    ],
    // The reader of secrets, which runs before, has already reported the empty value.
    [{ type: "bearer", token: { env: "NONE" } }, [header("authorization", "Bearer ")], []],
    [
      { type: "basic", ...login },
      [
        header(
          "authorization",
          `Basic ${Buffer.from("Ελένη:pass:word", "utf8").toString("base64")}`,
        ),
      ],
      [],
    ],
    [{ type: "apiKey", header: "X-Key", value: { env: "EDGE" } }, [header("x-key", " ~")], []],
    [
      { type: "apiKey", header: "X-Key", value: { env: "LINE" } },
      [expect.anything()],
      [".value: must have only characters that a header may contain"],
    ],
    [
      { type: "message", ...login },
      [
        {
          type: "fixed",
          content: { headers: {}, login: { username: "Ελένη", password: "pass:word" } },
        },
      ],
      [],
    ],
    [
      { type: "login", ...login, timeoutMs: 7 },
      [{ type: "login", login: { username: "Ελένη", password: "pass:word" }, timeoutMs: 7 }],
      [],
    ],
    [
      { type: "login", username: { env: "NOBODY" }, password: { env: "NOTHING" }, timeoutMs: 7 },
      [expect.anything()],
      [".username: NOBODY is not set", ".password: NOTHING is not set"],
    ],
    [
      client,
      [{ ...openClient, authentication: { type: "client_secret_basic", secret: "t-1" } }],
      [],
    ],
    [
      { ...client, clientAuthentication: "client_secret_post", scope: "s", audience: "a" },
      [
        {
          ...openClient,
          scope: "s",
          audience: "a",
          authentication: { type: "client_secret_post", secret: "t-1" },
        },
      ],
      [],
    ],
    [
      [
        { type: "apiKey", header: "x-key", value: { env: "TOKEN" } },
        { type: "none" },
        { type: "bearer", token: { env: "ABSENT" } },
      ],
      [header("x-key", "t-1"), header("authorization", "Bearer ")],
      ["[2].token: ABSENT is not set"],
    ],
  ])(
    "the gateway reads the headers from configured credentials, or reports every fault: %j",
    (credentials, found, faults) => {
      expect(read(credentials)).toEqual({ found, faults });
    },
  );

  it.each<[string, string, string | undefined, string]>([
    ["an RSA key", rsa(2_048), undefined, "RS256"],
    ["an RSA key with the algorithm PS512", rsa(2_048), "PS512", "PS512"],
    [
      "a short RSA key",
      rsa(1_024),
      undefined,
      "must be an RSA key (2048 bits or more), an EC key or an Ed25519 key",
    ],
    ["a P-256 key", curve("P-256"), undefined, "ES256"],
    ["a P-384 key", curve("P-384"), undefined, "ES384"],
    ["a P-521 key with the algorithm ES512", curve("P-521"), "ES512", "ES512"],
    ["a P-256 key with the algorithm RS256", curve("P-256"), "RS256", "cannot sign with RS256"],
    [
      "a key of another curve",
      curve("secp256k1"),
      undefined,
      "must be an RSA key (2048 bits or more), an EC key or an Ed25519 key",
    ],
    ["an Ed25519 key", pem(generateKeyPairSync("ed25519").privateKey), undefined, "EdDSA"],
    ["a text that is not a key", "none", undefined, "must be a private key in PEM"],
  ])(
    "the gateway signs with the configured algorithm or with the default algorithm of the key, or refuses the key: %s",
    (_, key, algorithm, result) => {
      const { clientSecret: _secret, ...keyed } = client;
      const configured = {
        ...keyed,
        clientAuthentication: "private_key_jwt",
        privateKey: { env: "KEY" },
        keyId: "k-1",
        algorithm,
      } as const;
      const { faults, found } = read(configured, { KEY: key });
      const [one] = found;
      const signed = one?.type === "oauth2" ? one.authentication : undefined;
      if (faults.length > 0) expect([faults, found]).toEqual([[`.privateKey: ${result}`], []]);
      else
        expect([signed, found.length]).toEqual([
          { type: "private_key_jwt", key: expect.anything(), keyId: "k-1", algorithm: result },
          1,
        ]);
      expect(faults.length === 0).toBe(!result.includes(" "));
      expect(read(configured)).toEqual({ found: [], faults: [".privateKey: KEY is not set"] });
    },
  );
});
