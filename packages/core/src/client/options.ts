import { hasBearerScheme, type TokenSource } from "../auth/token-source.ts";
import { ConfigurationError } from "../errors/index.ts";
import type { TlsSettings } from "../transport/route-settings.ts";
import type { CancellationSignal, SetupFault, Transport } from "../transport/transport.ts";
import { isObjectNotList, isSegment, optionFaults } from "./argument.ts";
import type { CallAttempt, CallFailure } from "./hooks.ts";

/** The options of the gateway's client. */
export interface GatewayOptions {
  /** The gateway's base address with its path prefix, if any: `https://gateway.example/insurance`. */
  readonly baseUrl: string;
  /**
   * The bearer token, or a function that returns the token: your own, `clientCredentials` of
   * `@insurance-gateway/core/auth` or `tokenFile` of `@insurance-gateway/core/node`. Default: the environment variable
   * GATEWAY_TOKEN, which is read for every request.
   */
  readonly token?: TokenSource | undefined;
  /** The time limit of a call in milliseconds, including retries and the complete answer. Default: 60,000. */
  readonly timeout?: number | undefined;
  /** Path segments of the providers whose segment differs from their id: `{ "provider-d": "acme" }`. */
  readonly segments?: Readonly<Record<string, string>> | undefined;
  /** The time limit for opening a connection, including TLS, in milliseconds. Default: 3,000. */
  readonly connectTimeout?: number | undefined;
  /**
   * Address of the proxy for every connection, with a user name and password if the proxy requires them; `false` for no
   * proxy. Default: the environment variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
   */
  readonly proxy?: string | false | undefined;
  /** Private certificate authorities and a client certificate, as PEM texts. */
  readonly tls?: TlsSettings | undefined;
  /** Transport that sends the requests. Default: undici with its own connections. */
  readonly transport?: Transport | undefined;
  /** Called after each attempt of a call, for logs and metrics. An error that the function throws is ignored. */
  readonly onAttempt?: ((attempt: CallAttempt) => unknown) | undefined;
  /** Called after each failed call, for logs and metrics. An error that the function throws is ignored. */
  readonly onError?: ((failure: CallFailure) => unknown) | undefined;
}

/** The options of every call, in addition to its input. */
export interface CallOptions {
  /** Cancels the call. The insurer may still carry out a submission that was already sent. */
  readonly signal?: CancellationSignal | undefined;
  /** The time limit of the call in milliseconds, including retries and the complete answer. */
  readonly timeout?: number | undefined;
  /**
   * Request headers that the endpoint declares, and other headers. They cannot replace headers that the client sets.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Media type of the body if the endpoint accepts several. Default: the first media type that matches the body. */
  readonly mediaType?: string | undefined;
  /** The provider's path segment for this call. Default: the client's `segments`, otherwise the provider's id. */
  readonly segment?: string | undefined;
}

/** The headers that a call can have in addition to those that its endpoint declares. */
export interface FurtherHeaders {
  /** Trace of the call (W3C Trace Context). */
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** The scenario for a simulated insurer. */
  readonly "x-sandbox-scenario"?: string;
}

/** The options of a submission, in addition to its input. */
export interface SubmissionOptions extends CallOptions {
  /**
   * Identifies this submission, so that you can send it again and the insurer acts only once. By default, the client
   * generates a key for each call, which is lost if the process ends. 1 to 255 characters of printable ASCII without
   * space, quotation mark and backslash. Do not put personal data into it: it appears in logs and errors.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * True if `idempotencyKey` was generated for one call, for example by a program that creates keys on behalf of
   * others. The gateway treats an equal submission with another generated key as the same submission. Two chosen keys
   * are always two submissions.
   */
  readonly keyIsGenerated?: boolean | undefined;
}

/** Default time limit of a call, in milliseconds. It is longer than the gateway's limit for a submission. */
const DEFAULT_TIMEOUT_MS = 60_000;
/** Longest time of a timer, in milliseconds. A longer timer, such as Infinity, would fire at once. */
export const LONGEST_TIMEOUT_MS: number = 2 ** 31 - 1;

/** Returns the time limit of a call in milliseconds. */
export function callTimeoutMs(call: Pick<CallOptions, "timeout">, gateway: GatewayOptions): number {
  return Math.min(call.timeout ?? gateway.timeout ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS);
}

/** Names of the options of `createGateway`. */
const OPTION_NAMES = [
  "baseUrl",
  "token",
  "timeout",
  "segments",
  "connectTimeout",
  "proxy",
  "tls",
  "transport",
  "onAttempt",
  "onError",
];

/**
 * Checks the options and returns the base address without a trailing slash.
 * @throws ConfigurationError with every fault
 */
export function checkedBaseUrl(options: GatewayOptions, connections: ConnectionSetup): string {
  // JavaScript callers can pass any value.
  if (!isObjectNotList(options)) throw new ConfigurationError(["the options must be an object"]);
  const faults = [...optionFaults(options, OPTION_NAMES)];
  const url = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    faults.push("baseUrl must be an absolute http or https address");
  else if (`${url.username}${url.password}${url.search}${url.hash}` !== "")
    faults.push("baseUrl must have no credentials, query or fragment");
  if (typeof options.token === "string" && options.token.trim() === "")
    faults.push("token must not be empty; is the environment variable set?");
  if (typeof options.token === "string" && hasBearerScheme(options.token))
    faults.push("token must not include `Bearer`, which the client adds");
  if (!["undefined", "string", "function"].includes(typeof options.token))
    faults.push("token must be a text, or a function that returns one");
  if (options.timeout !== undefined && options.timeout <= 0)
    faults.push("timeout must be a positive number of milliseconds");
  if (options.transport !== undefined && typeof options.transport?.send !== "function")
    faults.push("transport must be a Transport");
  faults.push(...connectionFaults(options, connections), ...hookFaults(options));
  if (options.segments !== undefined && !isObjectNotList(options.segments))
    faults.push("segments must be an object with a path segment for each provider's id");
  for (const [provider, segment] of Object.entries(options.segments ?? {}))
    if (!isSegment(segment)) faults.push(`segments["${provider}"] must be one path segment`);
  if (faults.length > 0 || url === undefined) throw new ConfigurationError(faults);
  // `href` would include the question mark of an empty query.
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** Options of the connections. */
export type ConnectionOptions = Pick<GatewayOptions, "connectTimeout" | "proxy" | "tls">;

/** Message texts for wrong connection settings: each names the reason and the option to correct. */
export type RemedyTexts = Readonly<Partial<Record<SetupFault, string>>>;

/** Opens the connections of one entry point of the package (over undici or over `fetch`), and checks their options. */
export interface ConnectionSetup {
  /** Returns the faults of the options, and of options that these connections do not support. */
  readonly faultsOf: (options: ConnectionOptions) => readonly string[];
  readonly open: (options: ConnectionOptions, baseUrl: string) => Transport;
  readonly remedies?: RemedyTexts;
}

function connectionFaults(
  { connectTimeout, proxy, tls, transport }: GatewayOptions,
  connections: ConnectionSetup,
): readonly string[] {
  const given = { connectTimeout, proxy, tls };
  if (transport === undefined) return connections.faultsOf(given);
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : name));
  return names.length === 0
    ? []
    : [`${names.join(", ")} cannot be combined with transport, which opens the connections`];
}

function hookFaults({ onAttempt, onError }: GatewayOptions): readonly string[] {
  return Object.entries({ onAttempt, onError }).flatMap(([name, hook]) =>
    hook === undefined || typeof hook === "function" ? [] : [`${name} must be a function`],
  );
}
