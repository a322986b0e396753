import {
  type CancellationSignal,
  type SetupFault,
  type Transport,
  TransportError,
} from "../transport/transport.ts";
import { type Credentials, CredentialsError, type PresentedCredentials } from "./credentials.ts";
import { fetchedCredentials } from "./fetched.ts";

/** A token with its lifetime. */
export interface IssuedToken {
  readonly token: string;
  /** Default: until the `exp` of a JWT; another token is renewed every five minutes. */
  readonly expiresInSeconds?: number | undefined;
}

/** What a token function can use. */
export interface TokenContext {
  /** The client's transport, for a token server behind the same proxy and with the same authorities. */
  readonly transport: Transport;
  /** How long the function may take, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Returns a token for all calls of the client. One call of the function at a time serves all waiting calls. It is called again
 * before the token expires, and once if the gateway refuses the token.
 */
export type TokenFunction = (
  context: TokenContext,
) => string | IssuedToken | Promise<string | IssuedToken>;

/** The source of the bearer token: the token itself, or a function. */
export type TokenSource = string | TokenFunction;

/** Why there is no token to send. The text never contains the token. */
export interface TokenFault {
  readonly fault: string;
  /** Whether the next attempt may get one. */
  readonly mayPass: boolean;
}

/** The token of a request as a header, and what to do if the gateway refuses it. */
export type RequestToken = Pick<PresentedCredentials, "headers" | "refused">;

/** The tokens of one client. */
export interface Tokens {
  /**
   * Returns the token of one request.
   * @throws TransportError if the call is cancelled
   */
  next(
    timeoutMs: number,
    signal: CancellationSignal | undefined,
  ): Promise<RequestToken | TokenFault>;
}

/** Creates the tokens of a client. Without a source, the environment variable GATEWAY_TOKEN is read for every request. */
export function createTokens(source: TokenSource | undefined, context: TokenContext): Tokens {
  if (typeof source === "function") return functionTokens(source, context);
  return {
    async next() {
      const token = source ?? environmentToken();
      if (source === undefined && token === "")
        return lasting("environment variable GATEWAY_TOKEN is not set, and no token was given");
      const fault = faultOf(token);
      if (fault !== null) return lasting(fault);
      return { headers: bearer(token), refused: () => (source ?? environmentToken()) !== token };
    },
  };
}

function environmentToken(): string {
  // A browser has no environment.
  return typeof process === "undefined" ? "" : (process.env.GATEWAY_TOKEN ?? "");
}

function functionTokens(source: TokenFunction, context: TokenContext): Tokens {
  let fault: TokenFault = LATE;
  let running: { readonly startedAt: number; readonly giveUp: () => void } | null = null;
  const credentials = fetchedCredentials({
    now: () => performance.now(),
    ended: () => undefined,
    isOfApplication: true,
    async fetch() {
      // While calls wait for a token server that fails, its failure is their fault.
      if (fault !== serverFaults.unreachable) fault = LATE;
      const late = Promise.withResolvers<never>();
      running = { startedAt: performance.now(), giveUp: () => late.reject(LATE) };
      const issued = await Promise.race([issuedBy(source, context), late.promise])
        .catch((error: unknown) => {
          fault = faultOfError(error);
          throw error;
        })
        .finally(() => {
          running = null;
        });
      const { expiresInSeconds, token } = typeof issued === "string" ? { token: issued } : issued;
      const wrong = faultOf(token) ?? faultOfLife(expiresInSeconds);
      if (wrong !== null) {
        fault = lasting(wrong);
        throw new TypeError(wrong);
      }
      const lifeMs = expiresInSeconds === undefined ? lifeOfJwt(token) : expiresInSeconds * 1_000;
      return { headers: bearer(token), login: null, lifeMs };
    },
  });
  return {
    async next(timeoutMs, signal) {
      if (signal?.aborted) throw cancelled(signal);
      // A function that never ends must not keep later calls from calling it again. A timer would keep the process from ending.
      if (running !== null && performance.now() - running.startedAt >= context.timeoutMs) {
        running.giveUp();
        await credentials.ready({ timeoutMs, signal: null }).catch(() => undefined);
      }
      return tokenInTime(credentials, timeoutMs, signal, () => fault);
    },
  };
}

async function tokenInTime(
  credentials: Credentials,
  timeoutMs: number,
  signal: CancellationSignal | undefined,
  faultNow: () => TokenFault,
): Promise<RequestToken | TokenFault> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const current = credentials.current();
    if (current !== null) return current;
    try {
      await credentials.ready({ timeoutMs: deadline - performance.now(), signal: signal ?? null });
    } catch (error) {
      if (CredentialsError.isInstance(error) && error.fault === "cancelled")
        throw cancelled(signal);
      return faultNow();
    }
  }
}

async function issuedBy(
  source: TokenFunction,
  context: TokenContext,
): Promise<string | IssuedToken> {
  // JavaScript callers can return anything.
  return (await source(context)) ?? "";
}

function cancelled(signal: CancellationSignal | undefined): TransportError {
  return new TransportError("connect", "cancelled", null, signal?.reason);
}

const LATE: TokenFault = { fault: "token function did not answer in time", mayPass: true };

const serverFaults: Readonly<Partial<Record<CredentialsError["fault"], TokenFault>>> = {
  refused: { fault: "token server refused the client", mayPass: false },
  unreachable: { fault: "token server could not be reached, or failed", mayPass: true },
  unusable: { fault: "answer of the token server has no usable token", mayPass: false },
};

const setupFaults: Readonly<Record<SetupFault, TokenFault>> = {
  certificate: lasting("certificate of the token server is not accepted"),
  client_certificate: lasting("token server refuses this client's certificate, or asks for one"),
  proxy: lasting("proxy refuses the connection to the token server, or its address is wrong"),
  runtime: lasting("token server cannot be called, because undici cannot be used"),
};

/** The error of a function may contain the credentials that it used, so only the code of a system error is kept. */
function faultOfError(error: unknown): TokenFault {
  if (error === LATE) return LATE;
  if (CredentialsError.isInstance(error)) {
    const known =
      error.setupFault === null ? serverFaults[error.fault] : setupFaults[error.setupFault];
    if (known !== undefined) return known;
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const suffix = /^E[A-Z]+$/.test(code) ? ` (${code})` : "";
  return { fault: `token function failed${suffix}`, mayPass: true };
}

function lasting(fault: string): TokenFault {
  return { fault, mayPass: false };
}

/** The characters of a bearer token (RFC 6750, section 2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Whether a text is the value of an `authorization` header instead of a token. */
export function isWithScheme(token: string): boolean {
  return /^\s*bearer\s/i.test(token);
}

function faultOf(token: unknown): string | null {
  if (typeof token === "string" && isWithScheme(token))
    return "token must be the token alone, because the client adds `Bearer`";
  return typeof token === "string" && TOKEN.test(token)
    ? null
    : "token is empty or has characters no token has";
}

function faultOfLife(seconds: unknown): string | null {
  return seconds === undefined || (Number.isFinite(seconds) && Number(seconds) > 0)
    ? null
    : "lifetime of the token, expiresInSeconds, is not a positive number";
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

/** Returns how long a JWT is still valid, in milliseconds; null for a token that is none. Nothing is verified. */
function lifeOfJwt(token: string): number | null {
  const [, payload = ""] = token.split(".");
  try {
    const { exp }: { readonly exp?: unknown } = JSON.parse(
      atob(payload.replaceAll("-", "+").replaceAll("_", "/")),
    );
    return typeof exp === "number" ? exp * 1_000 - Date.now() : null;
  } catch {
    return null;
  }
}
