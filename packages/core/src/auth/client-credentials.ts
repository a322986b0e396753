import { isObjectNotList, optionFaults } from "../client/argument.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import {
  type SetupFault,
  setupFaultOf,
  type Transport,
  TransportError,
  type TransportResponse,
} from "../transport/transport.ts";
import { CredentialsError } from "./credentials.ts";
import { fetchPausesMs, randomPauseMs, waitFor } from "./fetched.ts";
import {
  type IssuedToken,
  type TokenFault,
  type TokenFunction,
  TokenFunctionError,
} from "./token-source.ts";

/** Method by which a client proves its identity to the token server (RFC 6749, section 2.3; RFC 7523, section 2.2). */
export type ClientAuthentication =
  | { readonly type: "client_secret_basic" | "client_secret_post"; readonly secret: string }
  | { readonly type: "private_key_jwt"; readonly assertion: () => string | Promise<string> };

/** A request for a token with the client's own credentials (RFC 6749, section 4.4). */
export interface TokenRequest {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly authentication: ClientAuthentication;
  readonly scope?: string | undefined;
  /** The API for which the token is meant. Some token servers require it. */
  readonly audience?: string | undefined;
  readonly timeoutMs: number;
}

/** Maximum size of a token server's answer, in bytes. A token has a few kilobytes. */
const MAX_TOKEN_ANSWER_BYTES = 64 * 1024;

/**
 * Requests a token from a token server.
 *
 * An OAuth library is not used: it would refuse answers without the token's type, and its errors contain the answer
 * with the token.
 * @throws CredentialsError without any content of the answer
 */
export async function requestToken(
  request: TokenRequest,
  transport: Transport,
): Promise<IssuedToken> {
  const { audience, scope, timeoutMs, tokenUrl } = request;
  const { headers, parameters } = await buildClientProof(request);
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
      // The token server may be closing a connection that was idle since the last token request.
      connection: "fresh",
      timeoutMs,
    });
    return await readTokenAnswer(response);
  } catch (error) {
    throw CredentialsError.isInstance(error) ? error : faultOfRequest(error);
  }
}

/** Reads the token of a token server's answer, or throws the fault of the answer. */
async function readTokenAnswer({ body, status }: TransportResponse): Promise<IssuedToken> {
  if (status !== 200) {
    body.discard();
    throw new CredentialsError(faultOfStatus(status));
  }
  const {
    access_token: token,
    expires_in: seconds,
    token_type: type,
  } = parseAnswerFields(await body.text(MAX_TOKEN_ANSWER_BYTES));
  // Some servers omit the token's type, and some write the lifetime as a text.
  const isBearer = type === undefined || (typeof type === "string" && /^bearer$/i.test(type));
  const isLife = typeof seconds === "number" || /^\d{1,9}$/.test(String(seconds ?? "0"));
  if (typeof token !== "string" || !/^[\x20-\x7e]+$/.test(token) || !isBearer || !isLife)
    throw new CredentialsError("unusable");
  const isUnknown = seconds === null || seconds === undefined;
  // Some servers send the lifetime 0, which counts as the shortest lifetime.
  return { token, ...(isUnknown ? {} : { expiresInSeconds: Number(seconds) || 1 }) };
}

/** Fields of a token server's successful answer (RFC 6749, section 5.1). */
type AnswerFields = Partial<Record<"access_token" | "expires_in" | "token_type", unknown>>;

function parseAnswerFields(text: string): AnswerFields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // The parser's error is dropped, because its message quotes the server's answer.
    return {};
  }
}

/** Converts the status of an answer without a token to a fault: `unreachable` if the server may answer later. */
function faultOfStatus(status: number): CredentialsError["fault"] {
  if (status === 408 || status === 425 || status === 429 || status >= 500) return "unreachable";
  return status >= 400 ? "refused" : "unusable";
}

/** Converts the error of a failed token or login request to a CredentialsError. */
export function faultOfRequest(error: unknown): CredentialsError {
  if (!TransportError.isInstance(error)) return new CredentialsError("unusable");
  const isAnswered = error.reason === "too_large" || error.reason === "unreadable";
  return new CredentialsError(isAnswered ? "unusable" : "unreachable", setupFaultOf(error));
}

/** Parts of a request that prove the client's identity to the token server. */
interface ClientProof {
  readonly headers: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

async function buildClientProof({ authentication, clientId }: TokenRequest): Promise<ClientProof> {
  switch (authentication.type) {
    case "client_secret_basic": {
      // The client's id and secret are form-encoded before they are joined (RFC 6749, section 2.3.1).
      const pair = `${formEncode(clientId)}:${formEncode(authentication.secret)}`;
      return { headers: { authorization: `Basic ${btoa(pair)}` }, parameters: {} };
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
          client_assertion: await authentication.assertion(),
        },
      };
  }
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

/** Options of `clientCredentials`. */
export interface ClientCredentialsOptions
  extends Pick<TokenRequest, "audience" | "clientId" | "scope" | "tokenUrl"> {
  /** The client's secret. */
  readonly clientSecret?: string | undefined;
  /** Place of the secret in the request: the header `authorization` or the body. Default: `header`. */
  readonly sendSecretIn?: "header" | "body" | undefined;
  /** Signs a client assertion for each request, which replaces the client secret (`private_key_jwt`, RFC 7523). */
  readonly assertion?: (() => string | Promise<string>) | undefined;
}

/** Time limit of one token request, in milliseconds. A waiting call may have time for a second request. */
const TOKEN_REQUEST_TIMEOUT_MS = 10_000;

/**
 * Returns a token function that requests a client's tokens from a token server, with the client's own credentials
 * (OAuth 2.0, client credentials): `createGateway({ baseUrl, token: clientCredentials({ tokenUrl, clientId,
 * clientSecret }) })`.
 * @throws ConfigurationError if an option is missing or wrong
 */
export function clientCredentials(options: ClientCredentialsOptions): TokenFunction {
  const faults = faultsOfOptions(options);
  if (faults.length > 0) throw new ConfigurationError(faults);
  const {
    assertion,
    audience,
    clientId,
    clientSecret: secret,
    scope,
    sendSecretIn,
    tokenUrl,
  } = options;
  const authentication: ClientAuthentication =
    assertion === undefined
      ? {
          type: sendSecretIn === "body" ? "client_secret_post" : "client_secret_basic",
          secret: secret ?? "",
        }
      : { type: "private_key_jwt", assertion };
  const request = { audience, authentication, clientId, scope, tokenUrl };
  let failure: TokenFunctionError | null = null;
  let failures = 0;
  let pausedUntil = 0;
  return async ({ timeoutMs, transport }) => {
    const deadline = performance.now() + timeoutMs * TOKEN_REQUEST_TIME_SHARE;
    const leftMs = (): number => deadline - performance.now();
    for (;;) {
      const pauseMs = pausedUntil - performance.now();
      if (failure !== null && pauseMs > (failure.mayPass ? leftMs() : 0)) throw failure;
      await waitFor(pauseMs);
      try {
        const limited = { ...request, timeoutMs: Math.min(leftMs(), TOKEN_REQUEST_TIMEOUT_MS) };
        const issued = await requestToken(limited, transport);
        failure = null;
        failures = 0;
        return issued;
      } catch (error) {
        failure = new TokenFunctionError(toTokenFault(error));
        failures += 1;
        const pause = fetchPausesMs[failure.mayPass ? "failed" : "refused"];
        pausedUntil = performance.now() + randomPauseMs(failures, pause);
        if (!failure.mayPass) throw failure;
      }
    }
  };
}

/**
 * Share of a call's remaining time that token requests may use. The rest of the time is left for reporting a failure.
 */
const TOKEN_REQUEST_TIME_SHARE = 0.9;

/** Converts an error of `requestToken` to the fault that a token function reports. */
function toTokenFault(error: unknown): TokenFault {
  if (!CredentialsError.isInstance(error)) throw error;
  const { fault, setupFault } = error;
  if (setupFault !== null) return { fault: setupFaultTexts[setupFault], mayPass: false };
  return serverFaults[fault] ?? { fault: "token function failed", mayPass: true };
}

const serverFaults: Readonly<Partial<Record<CredentialsError["fault"], TokenFault>>> = {
  refused: { fault: "token server refused the client", mayPass: false },
  unreachable: { fault: "token server could not be reached, or failed", mayPass: true },
  unusable: { fault: "answer of the token server has no usable token", mayPass: false },
};

const setupFaultTexts: Readonly<Record<SetupFault, string>> = {
  certificate: "certificate of the token server is not accepted",
  client_certificate: "token server refuses this client's certificate, or requires one",
  proxy: "proxy refuses the connection to the token server, or its address is wrong",
  runtime: "token server cannot be called, because undici cannot be used",
};

const OPTION_NAMES = [
  "tokenUrl",
  "clientId",
  "clientSecret",
  "assertion",
  "sendSecretIn",
  "scope",
  "audience",
];

function faultsOfOptions(options: ClientCredentialsOptions): readonly string[] {
  // JavaScript callers can pass any value.
  if (!isObjectNotList(options)) return ["the options must be an object"];
  const { assertion, audience, clientId, clientSecret, scope, sendSecretIn, tokenUrl } = options;
  const isNoText = (value: unknown): boolean => typeof value !== "string" || value === "";
  const rules: readonly (readonly [isBroken: boolean, fault: string])[] = [
    [
      !URL.canParse(tokenUrl) || !/^https?:/.test(tokenUrl),
      "tokenUrl must be an absolute http or https address",
    ],
    [isNoText(clientId), "clientId must not be empty"],
    [
      (clientSecret === undefined) === (assertion === undefined),
      "either clientSecret or assertion must be given",
    ],
    [clientSecret !== undefined && isNoText(clientSecret), "clientSecret must not be empty"],
    [
      assertion !== undefined && typeof assertion !== "function",
      "assertion must be a function that returns a signed assertion",
    ],
    [
      sendSecretIn !== undefined && sendSecretIn !== "header" && sendSecretIn !== "body",
      "sendSecretIn must be `header` or `body`",
    ],
    [
      sendSecretIn !== undefined && assertion !== undefined,
      "sendSecretIn cannot be combined with assertion, which has no secret",
    ],
    [scope !== undefined && isNoText(scope), "scope must not be empty"],
    [audience !== undefined && isNoText(audience), "audience must not be empty"],
  ];
  return [
    ...optionFaults(options, OPTION_NAMES),
    ...rules.flatMap(([isBroken, fault]) => (isBroken ? fault : [])),
  ];
}
