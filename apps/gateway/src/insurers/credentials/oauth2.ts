import { randomUUID } from "node:crypto";
import {
  type ClientAuthentication,
  type FetchedContent,
  requestToken,
} from "@insurance-gateway/core/auth";
import type { ConnectionTransport } from "@insurance-gateway/core/transport";
import { SignJWT } from "jose/jwt/sign";
import type { OAuth2Client } from "../../configuration/insurer-credentials.ts";

const ASSERTION_LIFETIME_SECONDS = 60;

/**
 * Fetches a token from a token server with the client credentials grant.
 * @throws CredentialsError, which contains no part of the server's answer
 */
export async function fetchToken(
  client: OAuth2Client,
  transport: ConnectionTransport,
): Promise<FetchedContent> {
  const request = { ...client, authentication: authenticationOf(client) };
  const { expiresInSeconds, token } = await requestToken(request, transport);
  return {
    headers: { authorization: `Bearer ${token}` },
    login: null,
    lifeMs: expiresInSeconds === undefined ? null : expiresInSeconds * 1_000,
  };
}

function authenticationOf(client: OAuth2Client): ClientAuthentication {
  const { authentication } = client;
  return authentication.type === "private_key_jwt"
    ? { type: "private_key_jwt", assertion: () => signAssertion(client, authentication) }
    : authentication;
}

/** Signs the assertion with which the client authenticates (RFC 7523, section 3). */
function signAssertion(
  { clientId, tokenUrl }: OAuth2Client,
  {
    algorithm,
    key,
    keyId,
  }: Extract<OAuth2Client["authentication"], { readonly type: "private_key_jwt" }>,
): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({
      alg: algorithm,
      typ: "JWT",
      ...(keyId === undefined ? {} : { kid: keyId }),
    })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenUrl)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${ASSERTION_LIFETIME_SECONDS}s`)
    .sign(key);
}
