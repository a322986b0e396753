import { createPrivateKey, type KeyObject } from "node:crypto";
import type { CredentialContent, UserLogin } from "@insurance-gateway/core/auth";
import type { TlsSettings } from "@insurance-gateway/core/transport";
import type {
  CredentialConfiguration,
  CredentialsConfiguration,
  LoginConfiguration,
  OAuth2Configuration,
} from "../configuration/file.ts";
import type { Environment } from "../configuration/load.ts";
import { readTls } from "../configuration/pem.ts";
import {
  createSecretReader,
  type SecretFault,
  type SecretReader,
} from "../configuration/secrets.ts";
import { isHeaderValue } from "./headers.ts";

/** One credential of the configuration, with how its secrets are read: again for each use, so that a file can be replaced. */
export type InsurerCredential =
  | { readonly type: "fixed"; readonly read: () => CredentialContent }
  | { readonly type: "login"; readonly read: () => UserLogin; readonly timeoutMs: number }
  | OAuth2Client;

/** A client of a token server. */
export interface OAuth2Client {
  readonly type: "oauth2";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string | undefined;
  readonly audience: string | undefined;
  readonly tls: TlsSettings;
  readonly timeoutMs: number;
  /** Reads what proves to the token server which client it is, to see whether it was replaced: a secret, or a key in PEM. */
  readonly readSecret: () => string;
  /** How the token server knows it. */
  readonly authentication:
    | { readonly type: "client_secret_basic" | "client_secret_post"; readonly secret: () => string }
    | {
        readonly type: "private_key_jwt";
        readonly key: () => KeyObject;
        readonly keyId: string | undefined;
        readonly algorithm: (key: KeyObject) => string;
      };
}

/**
 * Reads an insurer's credentials.
 * @param fault - is called with why one cannot be used, and its place below `credentials`
 */
export function readCredentials(
  credentials: CredentialsConfiguration,
  environment: Environment,
  folder: string,
  fault: SecretFault,
): readonly InsurerCredential[] {
  const isList = Array.isArray(credentials);
  return [credentials].flat().flatMap((credential, index) => {
    const faultHere: SecretFault = (path, message) =>
      fault(`${isList ? `[${index}]` : ""}.${path}`, message);
    const secrets = createSecretReader(environment, folder, faultHere);
    const tlsOf = ({ tls }: OAuth2Configuration): TlsSettings =>
      readTls(tls, environment, folder, (path, message) => faultHere(`tls.${path}`, message));
    return readOne(credential, secrets, tlsOf);
  });
}

function readOne(
  credential: CredentialConfiguration,
  secrets: SecretReader,
  tlsOf: (configuration: OAuth2Configuration) => TlsSettings,
): readonly InsurerCredential[] {
  switch (credential.type) {
    case "none":
      return [];
    case "bearer": {
      const token = secrets.again(credential.token, "token", headerFault);
      return [header("authorization", () => `Bearer ${token()}`)];
    }
    case "basic": {
      const login = loginOf(credential, secrets);
      return [header("authorization", () => `Basic ${base64(login())}`)];
    }
    case "apiKey":
      return [
        header(
          credential.header.toLowerCase(),
          secrets.again(credential.value, "value", headerFault),
        ),
      ];
    case "message": {
      const login = loginOf(credential, secrets);
      return [{ type: "fixed", read: () => ({ headers: {}, login: login() }) }];
    }
    case "login":
      return [
        { type: "login", read: loginOf(credential, secrets), timeoutMs: credential.timeoutMs },
      ];
    case "oauth2":
      return [clientOf(credential, secrets, tlsOf(credential))];
  }
}

function header(name: string, value: () => string): InsurerCredential {
  return { type: "fixed", read: () => ({ headers: { [name]: value() }, login: null }) };
}

function headerFault(value: string): string | null {
  return isHeaderValue(value) ? null : "has characters a header cannot carry";
}

function loginOf(
  { password, username }: LoginConfiguration,
  secrets: SecretReader,
): () => UserLogin {
  const user = secrets.again(username, "username");
  const secret = secrets.again(password, "password");
  return () => ({ username: user(), password: secret() });
}

/** In UTF-8 (RFC 7617, section 2.1). */
function base64({ password, username }: UserLogin): string {
  return Buffer.from(`${username}:${password}`).toString("base64");
}

function clientOf(
  configuration: OAuth2Configuration,
  secrets: SecretReader,
  tls: TlsSettings,
): OAuth2Client {
  const { audience, clientId, scope, timeoutMs, tokenUrl } = configuration;
  const proof = proofOf(configuration, secrets);
  return { type: "oauth2", tokenUrl, clientId, scope, audience, tls, timeoutMs, ...proof };
}

function proofOf(
  configuration: OAuth2Configuration,
  secrets: SecretReader,
): Pick<OAuth2Client, "authentication" | "readSecret"> {
  const { algorithm, clientAuthentication: type, clientSecret, keyId, privateKey } = configuration;
  // The schema has checked that the one is there which is needed.
  const none = { env: "" };
  if (type !== "private_key_jwt") {
    const secret = secrets.again(clientSecret ?? none, "clientSecret");
    return { authentication: { type, secret }, readSecret: secret };
  }
  const pem = secrets.again(privateKey ?? none, "privateKey", (text) => keyFault(text, algorithm));
  const key = (): KeyObject => createPrivateKey(pem());
  const choose = (one: KeyObject): string => algorithm ?? algorithmsOf(one)[0] ?? "";
  return { authentication: { type, key, keyId, algorithm: choose }, readSecret: pem };
}

/** The algorithms that a key can sign with, the usual one first. */
function algorithmsOf({ asymmetricKeyDetails, asymmetricKeyType }: KeyObject): readonly string[] {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === "rsa" && modulusLength >= 2_048)
    return ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];
  if (asymmetricKeyType === "ed25519") return ["EdDSA"];
  const curves: Readonly<Record<string, string>> = {
    prime256v1: "ES256",
    secp384r1: "ES384",
    secp521r1: "ES512",
  };
  const found = curves[namedCurve ?? ""];
  return found === undefined ? [] : [found];
}

function keyFault(pem: string, algorithm: string | undefined): string | null {
  let usable: readonly string[];
  try {
    usable = algorithmsOf(createPrivateKey(pem));
  } catch {
    return "is no private key in PEM";
  }
  if (usable.length === 0) return "is no RSA key of 2048 bits or more, EC or Ed25519 key";
  return algorithm === undefined || usable.includes(algorithm)
    ? null
    : `cannot sign with ${algorithm}`;
}
