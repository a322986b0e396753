import {
  type CancellationSignal,
  type Transport,
  TransportError,
  type TransportTime,
} from "../transport/transport.ts";
import type { PresentedCredentials } from "./credentials.ts";
import { type RenewalTimes, renewalTimesOf } from "./lifetime.ts";

/** Token with its lifetime. */
export interface IssuedToken {
  readonly token: string;
  /** Lifetime in seconds. Default: until the `exp` of a JWT; any other token is renewed every five minutes. */
  readonly expiresInSeconds?: number | undefined;
}

/** Context in which the client calls a token function. */
export interface TokenContext {
  /** The client's transport, for a token server behind the same proxy and with the same certificate authorities. */
  readonly transport: Transport;
  /** Time limit of the function, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Returns a token for all calls of the client. One call of the function at a time serves all waiting calls. The client
 * calls the function again before the token expires, and once if the gateway refuses the token.
 */
export type TokenFunction = (
  context: TokenContext,
) => string | IssuedToken | Promise<string | IssuedToken>;

/** The bearer token itself, or a function that returns the token. */
export type TokenSource = string | TokenFunction;

/** Reason why the client has no token to send. `fault` never contains the token. */
export interface TokenFault {
  readonly fault: string;
  /** True if the next attempt may get a token. */
  readonly mayPass: boolean;
}

/** Header with the token of a request, and the function that reports a refusal of the token. */
export type RequestToken = Pick<PresentedCredentials, "headers" | "refused">;

/** Supplies the bearer tokens of one client. */
export interface TokenSupplier {
  /**
   * Returns the token of one request, or the reason why the client has no token.
   * @throws TransportError if the call is cancelled
   */
  next(
    timeoutMs: number,
    signal: CancellationSignal | undefined,
  ): Promise<RequestToken | TokenFault>;
}

/**
 * Creates the token supplier of one client. Without a source, it reads the environment variable GATEWAY_TOKEN for every
 * request.
 * @param time - the client's clock, by which tokens expire
 */
export function createTokenSupplier(
  source: TokenSource | undefined,
  context: TokenContext,
  time: Pick<TransportTime, "elapsed" | "now">,
): TokenSupplier {
  if (typeof source === "function") return createFunctionTokenSupplier(source, context, time);
  return {
    async next() {
      const token = source ?? environmentToken();
      if (source === undefined && token === "")
        return permanentFault(
          "environment variable GATEWAY_TOKEN is not set, and no token was given",
        );
      const fault = faultOfToken(token);
      if (fault !== null) return permanentFault(fault);
      return {
        headers: bearerHeader(token),
        refused: () => (source ?? environmentToken()) !== token,
      };
    },
  };
}

function environmentToken(): string {
  // A browser has no environment.
  return typeof process === "undefined" ? "" : (process.env.GATEWAY_TOKEN ?? "");
}

/** A running call of the token function. */
interface RunningTokenCall {
  readonly startedAt: number;
  readonly result: Promise<RequestToken | TokenFault>;
}

/**
 * If the gateway refuses a renewed token within this time, in milliseconds, the client does not renew the token again:
 * another token would be refused too.
 */
const MIN_RENEWAL_INTERVAL_MS = 1_000;

function createFunctionTokenSupplier(
  source: TokenFunction,
  context: TokenContext,
  time: Pick<TransportTime, "elapsed" | "now">,
): TokenSupplier {
  let kept: (RequestToken & RenewalTimes) | null = null;
  let running: RunningTokenCall | null = null;

  /**
   * Calls the token function, unless a call is running. A call that exceeds its time limit does not block later calls.
   */
  function callFunction(replacesRefused = false): RunningTokenCall["result"] {
    const startedAt = time.elapsed();
    if (running !== null && startedAt - running.startedAt < context.timeoutMs)
      return running.result;
    const result = callTokenFunction(source, context).then(
      (issued) => keep(issued, startedAt, replacesRefused),
      faultOfError,
    );
    const own: RunningTokenCall = { startedAt, result };
    running = own;
    void result.then(() => {
      if (running === own) running = null;
    });
    return result;
  }

  function keep(
    issued: string | IssuedToken,
    askedAt: number,
    replacesRefused: boolean,
  ): RequestToken | TokenFault {
    const { expiresInSeconds, token } = typeof issued === "string" ? { token: issued } : issued;
    const wrong = faultOfToken(token) ?? faultOfLifetime(expiresInSeconds);
    if (wrong !== null) return permanentFault(wrong);
    const lifeMs =
      expiresInSeconds === undefined
        ? lifetimeOfJwtMs(token, time.now())
        : expiresInSeconds * 1_000;
    const own: RequestToken & RenewalTimes = {
      headers: bearerHeader(token),
      ...renewalTimesOf(lifeMs, askedAt),
      refused() {
        if (kept !== own) return true;
        if (replacesRefused && time.elapsed() - askedAt < MIN_RENEWAL_INTERVAL_MS) return false;
        kept = null;
        void callFunction(true);
        return true;
      },
    };
    kept = own;
    return own;
  }

  return {
    async next(timeoutMs, signal) {
      if (signal?.aborted) throw cancellationError(signal);
      const now = time.elapsed();
      if (kept === null || now >= kept.endsAt)
        return waitForToken(callFunction(), timeoutMs, signal);
      if (now >= kept.renewAt) void callFunction();
      return kept;
    },
  };
}

/** Waits for a token in real time, because a token function may call a server. */
function waitForToken(
  result: RunningTokenCall["result"],
  timeoutMs: number,
  signal: CancellationSignal | undefined,
): RunningTokenCall["result"] {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    };
    const cancel = (): void => {
      end();
      reject(cancellationError(signal));
    };
    const timer = setTimeout(() => {
      end();
      resolve({ fault: "token function did not answer in time", mayPass: true });
    }, timeoutMs);
    signal?.addEventListener("abort", cancel);
    // The token function may have aborted the signal already.
    if (signal?.aborted) cancel();
    void result.then((token) => {
      end();
      resolve(token);
    });
  });
}

/** Creates the error of a call whose signal aborted. */
function cancellationError(signal: CancellationSignal | undefined): TransportError {
  return new TransportError("connect", "cancelled", null, signal?.reason);
}

async function callTokenFunction(
  source: TokenFunction,
  context: TokenContext,
): Promise<string | IssuedToken> {
  // JavaScript callers can return anything.
  return (await source(context)) ?? "";
}

/** Error of this package's own token functions, which names the fault. */
export class TokenFunctionError extends Error implements TokenFault {
  override readonly name = "TokenFunctionError";
  readonly fault: string;
  readonly mayPass: boolean;

  constructor({ fault, mayPass }: TokenFault) {
    super(`There is no token: the ${fault}`);
    this.fault = fault;
    this.mayPass = mayPass;
  }
}

/**
 * Describes the error of a token function by the code of a system error only, because the error may contain
 * credentials.
 */
function faultOfError(error: unknown): TokenFault {
  const {
    code,
    fault,
    mayPass,
    name,
  }: Partial<Record<"name" | "code" | "fault" | "mayPass", unknown>> = Object(error);
  // Another copy of this package may have created the error.
  if (name === "TokenFunctionError") return { fault: String(fault), mayPass: mayPass === true };
  const suffix = /^E[A-Z]+$/.test(String(code)) ? ` (${String(code)})` : "";
  return { fault: `token function failed${suffix}`, mayPass: true };
}

/** Returns a fault that remains until somebody corrects the configuration. */
function permanentFault(fault: string): TokenFault {
  return { fault, mayPass: false };
}

/** Form of a bearer token (RFC 6750, section 2.1). */
const BEARER_TOKEN_FORM = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Reports whether a text is the value of an `authorization` header instead of a token. */
export function hasBearerScheme(token: string): boolean {
  return /^\s*bearer\s/i.test(token);
}

/** Returns the fault of a token's form; null for a valid token. */
function faultOfToken(token: unknown): string | null {
  if (typeof token === "string" && hasBearerScheme(token))
    return "token must not include `Bearer`, which the client adds";
  return typeof token === "string" && BEARER_TOKEN_FORM.test(token)
    ? null
    : "token is empty or has invalid characters";
}

/** Returns the fault of a token's lifetime; null for a valid lifetime. */
function faultOfLifetime(seconds: unknown): string | null {
  return seconds === undefined || (Number.isFinite(seconds) && Number(seconds) > 0)
    ? null
    : "lifetime of the token, expiresInSeconds, must be a positive number";
}

/** Returns the header `authorization` with a bearer token. */
function bearerHeader(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

/** Returns the remaining lifetime of a JWT in milliseconds, or null for any other token. The JWT is not verified. */
function lifetimeOfJwtMs(token: string, now: number): number | null {
  const [, payload = ""] = token.split(".");
  try {
    const { exp }: { readonly exp?: unknown } = JSON.parse(
      atob(payload.replaceAll("-", "+").replaceAll("_", "/")),
    );
    return typeof exp === "number" ? exp * 1_000 - now : null;
  } catch {
    return null;
  }
}
