import { randomUUID } from "node:crypto";
import { CredentialsError, type FetchedContent } from "@insurance-gateway/core/auth";
import {
  type ConnectionResponse,
  type ConnectionTransport,
  TransportError,
} from "@insurance-gateway/core/transport";
import { SignJWT } from "jose/jwt/sign";
import * as z from "zod";
import { isHeaderValue } from "../../configuration/header-names.ts";
import type { OAuth2Client } from "../../configuration/insurer-credentials.ts";

/** A token is a few kilobytes at most; more is no answer of a token server. */
const MAXIMUM_BYTES = 64 * 1024;
const ASSERTION_LIFE_SECONDS = 60;

/** What a token server answers (RFC 6749, section 5.1). Some write the number as text, and some leave the type out. */
const tokenAnswer = z.object({
  access_token: z.string().min(1).refine(isHeaderValue),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  expires_in: z.union([z.number(), z.string().regex(/^\d{1,9}$/)]).nullish(),
});

/**
 * Asks a token server for a token (RFC 6749, section 4.4).
 *
 * A library for this would refuse the answers of servers that leave out the token's type, and its errors carry the answer
 * with the token in it.
 * @throws CredentialsError, which contains nothing of the answer
 */
export async function fetchToken(
  client: OAuth2Client,
  transport: ConnectionTransport,
): Promise<FetchedContent> {
  const { audience, scope, timeoutMs, tokenUrl } = client;
  const { headers, parameters } = await authenticate(client);
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
    ...parameters,
  });
  try {
    const response = await transport.send({
      method: "POST",
      url: tokenUrl,
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "content-type": "application/x-www-form-urlencoded",
        ...headers,
      },
      body: body.toString(),
      // The server may be closing one that has been idle since the last token.
      connection: "fresh",
      timeoutMs,
    });
    return await tokenIn(response);
  } catch (error) {
    throw CredentialsError.isInstance(error) ? error : faultOfRequest(error);
  }
}

async function tokenIn({ body, status }: ConnectionResponse): Promise<FetchedContent> {
  if (status !== 200) {
    body.discard();
    throw new CredentialsError(faultOfStatus(status));
  }
  const read = tokenAnswer.safeParse(parse(await body.text(MAXIMUM_BYTES)));
  if (!read.success) throw new CredentialsError("unusable");
  const { access_token: token, expires_in: seconds } = read.data;
  return {
    headers: { authorization: `Bearer ${token}` },
    login: null,
    lifeMs: seconds === null || seconds === undefined ? null : Number(seconds) * 1_000,
  };
}

/** What an answer without a token means: a server that is busy or fails may work soon, one that refuses will refuse. */
function faultOfStatus(status: number): CredentialsError["fault"] {
  if (status === 408 || status === 425 || status === 429 || status >= 500) return "unreachable";
  return status >= 400 ? "refused" : "unusable";
}

/** Maps a failed token or login request to a CredentialsError. */
export function faultOfRequest(error: unknown): CredentialsError {
  const isAnswered =
    TransportError.isInstance(error) &&
    (error.reason === "too_large" || error.reason === "unreadable");
  return new CredentialsError(
    isAnswered || !TransportError.isInstance(error) ? "unusable" : "unreachable",
  );
}

/** How a request proves to the token server which client it is. */
interface ClientProof {
  readonly headers: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

async function authenticate(client: OAuth2Client): Promise<ClientProof> {
  const { authentication, clientId } = client;
  switch (authentication.type) {
    case "client_secret_basic": {
      // Each half is form-encoded before (RFC 6749, section 2.3.1).
      const pair = `${formEncode(clientId)}:${formEncode(authentication.secret)}`;
      const value = `Basic ${Buffer.from(pair).toString("base64")}`;
      return { headers: { authorization: value }, parameters: {} };
    }
    case "client_secret_post":
      return {
        headers: {},
        parameters: { client_id: clientId, client_secret: authentication.secret },
      };
    case "private_key_jwt":
      return {
        headers: {},
        parameters: {
          client_id: clientId,
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          client_assertion: await assertion(client, authentication),
        },
      };
  }
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

/** A client assertion (RFC 7523, section 3). */
function assertion(
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
    .setExpirationTime(`${ASSERTION_LIFE_SECONDS}s`)
    .sign(key);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the content.
    return null;
  }
}
