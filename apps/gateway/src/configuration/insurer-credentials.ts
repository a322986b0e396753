import { createPrivateKey, type KeyObject } from "node:crypto";
import { type Adapter, credentialsFault } from "@insurance-gateway/adapter";
import type { CredentialContent, UserLogin } from "@insurance-gateway/core/auth";
import type { TlsSettings } from "@insurance-gateway/core/transport";
import type {
  CredentialConfiguration,
  CredentialsConfiguration,
  LoginConfiguration,
  OAuth2Configuration,
  SecretConfiguration,
} from "./file.ts";
import { isHeaderValue } from "./header-names.ts";
import { readTls } from "./pem.ts";
import type { ReadSecret, SecretFault } from "./secrets.ts";

/** One configured credential, with its secrets. */
export type InsurerCredential =
  | { readonly type: "fixed"; readonly content: CredentialContent }
  | { readonly type: "login"; readonly login: UserLogin; readonly timeoutMs: number }
  | OAuth2Client;

/**
 * The client id with which the gateway requests tokens from an insurer's token server, and the proof of this client.
 */
export interface OAuth2Client {
  readonly type: "oauth2";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string | undefined;
  readonly audience: string | undefined;
  readonly tls: TlsSettings;
  readonly timeoutMs: number;
  /** The secret or the key that proves the client's identity. */
  readonly authentication:
    | { readonly type: "client_secret_basic" | "client_secret_post"; readonly secret: string }
    | {
        readonly type: "private_key_jwt";
        readonly key: KeyObject;
        readonly keyId: string | undefined;
        readonly algorithm: string;
      };
}

/**
 * Reads an insurer's credentials.
 * @param fault - called with the reason why a credential cannot be used, and the credential's path below `credentials`
 */
export function readCredentials(
  credentials: CredentialsConfiguration,
  readSecret: ReadSecret,
  fault: SecretFault,
): readonly InsurerCredential[] {
  if ("type" in credentials)
    return readCredential(credentials, readSecret, (path, message) => fault(`.${path}`, message));
  return credentials.flatMap((credential, index) =>
    readCredential(credential, readSecret, (path, message) => fault(`[${index}].${path}`, message)),
  );
}

/**
 * Returns a fault for credentials of a type that the adapter cannot use. Each submission with these credentials would
 * have an unknown outcome.
 */
export function faultsOfCredentials(
  { credentials: taken, login }: Pick<Adapter, "credentials" | "login">,
  name: string,
  credentials: readonly CredentialConfiguration[],
): readonly string[] {
  const needsLogin = login === undefined && credentials.some(({ type }) => type === "login");
  const refused = credentialsFault(taken, credentials);
  return [
    ...(needsLogin
      ? [`${name} must have an adapter with a login for credentials of the type login`]
      : []),
    ...(refused === null ? [] : [refused]),
  ];
}

/** Reads a secret of a credential. `path` is the secret's place in the credential, for a fault. */
type ReadSecretPart = (secret: SecretConfiguration, path: string) => string;

function readCredential(
  credential: CredentialConfiguration,
  readSecret: ReadSecret,
  fault: SecretFault,
): readonly InsurerCredential[] {
  const read: ReadSecretPart = (secret, path) =>
    readSecret(secret, (message) => fault(path, message));
  switch (credential.type) {
    case "none":
      return [];
    case "bearer":
      return [
        header(
          "authorization",
          `Bearer ${headerValue("token", read(credential.token, "token"), fault)}`,
        ),
      ];
    case "basic":
      return [header("authorization", `Basic ${base64(loginOf(credential, read))}`)];
    case "apiKey":
      return [
        header(
          credential.header.toLowerCase(),
          headerValue("value", read(credential.value, "value"), fault),
        ),
      ];
    case "message":
      return [{ type: "fixed", content: { headers: {}, login: loginOf(credential, read) } }];
    case "login":
      return [{ type: "login", login: loginOf(credential, read), timeoutMs: credential.timeoutMs }];
    case "oauth2": {
      const { audience, clientId, scope, timeoutMs, tokenUrl } = credential;
      const authentication = authenticationOf(credential, read, fault);
      if (authentication === null) return [];
      const tls = readTls(credential.tls, readSecret, (path, message) =>
        fault(`tls.${path}`, message),
      );
      const client = { tokenUrl, clientId, scope, audience, tls, timeoutMs, authentication };
      return [{ type: "oauth2", ...client }];
    }
  }
}

function header(name: string, value: string): InsurerCredential {
  return { type: "fixed", content: { headers: { [name]: value }, login: null } };
}

function headerValue(path: string, value: string, fault: SecretFault): string {
  if (value !== "" && !isHeaderValue(value))
    fault(path, "must have only characters that a header may contain");
  return value;
}

function loginOf({ password, username }: LoginConfiguration, read: ReadSecretPart): UserLogin {
  return { username: read(username, "username"), password: read(password, "password") };
}

/** Encodes a user name and a password for HTTP Basic authentication (RFC 7617, section 2.1). */
function base64({ password, username }: UserLogin): string {
  return Buffer.from(`${username}:${password}`).toString("base64");
}

/** Returns the proof of the gateway's identity. Returns null and reports a fault if the private key is unusable. */
function authenticationOf(
  { algorithm, clientAuthentication: type, clientSecret, keyId, privateKey }: OAuth2Configuration,
  read: ReadSecretPart,
  fault: SecretFault,
): OAuth2Client["authentication"] | null {
  // The schema has checked that the secret for this method is set. This value only satisfies the type.
  const none = { env: "" };
  if (type !== "private_key_jwt")
    return { type, secret: read(clientSecret ?? none, "clientSecret") };
  const pem = read(privateKey ?? none, "privateKey");
  if (pem === "") return null;
  const found = signingKeyOf(pem, algorithm);
  if ("key" in found) return { type, keyId, ...found };
  fault("privateKey", found.fault);
  return null;
}

/** Returns the algorithms with which a key can sign, the usual algorithm first. */
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

/** Reads a private key, and chooses the algorithm with which the key signs. */
function signingKeyOf(
  pem: string,
  algorithm: string | undefined,
): { readonly key: KeyObject; readonly algorithm: string } | { readonly fault: string } {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return { fault: "must be a private key in PEM" };
  }
  const usable = algorithmsOf(key);
  const [usual] = usable;
  if (usual === undefined)
    return { fault: "must be an RSA key (2048 bits or more), an EC key or an Ed25519 key" };
  if (algorithm === undefined) return { key, algorithm: usual };
  return usable.includes(algorithm)
    ? { key, algorithm }
    : { fault: `cannot sign with ${algorithm}` };
}
