import type { TokenSource } from "../auth/token-source.ts";
import { ConfigurationError } from "../errors/index.ts";
import type { CancellationSignal, Transport } from "../transport/index.ts";

/** How an application reaches the gateway. */
export interface GatewayOptions {
  /** The gateway's base address, with a path prefix where it has one: `https://gateway.example/insurance`. */
  readonly baseUrl: string;
  /** The bearer token, or a function that gives one for each request; the environment variable GATEWAY_TOKEN when left out. */
  readonly token?: TokenSource | undefined;
  /** How long a call may take, further tries and the whole answer included, in milliseconds; 60,000 when left out. */
  readonly timeout?: number | undefined;
  /** The path segment of each provider whose real segment is not its id: `{ "provider-d": "acme" }`. */
  readonly segments?: Readonly<Record<string, string>> | undefined;
  /** What sends the requests; undici with connections of its own when left out. */
  readonly transport?: Transport | undefined;
}

/** What every call takes beside its input. */
export interface CallOptions {
  /** Stops the call. A submission that was on its way may still be carried out. */
  readonly signal?: CancellationSignal | undefined;
  /** How long the call may take, further tries and the whole answer included, in milliseconds. */
  readonly timeout?: number | undefined;
  /**
   * The request headers that the endpoint declares, and further ones; those the client sets itself cannot be replaced.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The media type of the body, where the endpoint takes several; the first that the body fits when left out. */
  readonly mediaType?: string | undefined;
}

/** The headers that a call can have beside those that its endpoint declares. */
export interface FurtherHeaders {
  /** The trace that the call belongs to (W3C Trace Context). */
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** The scenario that a simulated insurer plays. */
  readonly "x-sandbox-scenario"?: string;
}

/** What a submission takes beside its input. */
export interface SubmissionOptions extends CallOptions {
  /**
   * Names this submission, so that it can be sent again and the insurer acts once. One is made for each call when left
   * out, and is lost with the process. 1 to 255 characters of printable ASCII without space, quotation mark and
   * backslash; it stands in logs and errors, so it holds no personal data.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The default time limit of a call. It is longer than the gateway's limit for a submission. */
const DEFAULT_TIMEOUT_MS = 60_000;
/** The longest time that a timer can wait. A longer one, Infinity included, would fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** How long a call may take, in milliseconds. */
export function timeoutOf(call: Pick<CallOptions, "timeout">, gateway: GatewayOptions): number {
  return Math.min(call.timeout ?? gateway.timeout ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS);
}

/** The base address without the slash at its end. */
export function checkedBaseUrl(options: GatewayOptions): string {
  const faults: string[] = [];
  const url = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    faults.push("baseUrl must be an absolute http or https address");
  else if (`${url.username}${url.password}${url.search}${url.hash}` !== "")
    faults.push("baseUrl must have no credentials, query or fragment");
  if (typeof options.token === "string" && options.token.trim() === "")
    faults.push("token must not be empty; is the environment variable set?");
  if (options.timeout !== undefined && !(options.timeout > 0))
    faults.push("timeout must be a positive number of milliseconds");
  for (const [provider, segment] of Object.entries(options.segments ?? {}))
    if (!/^[A-Za-z0-9._~-]+$/.test(segment) || /^\.+$/.test(segment))
      faults.push(`segments["${provider}"] must be one path segment`);
  if (faults.length > 0 || url === undefined) throw new ConfigurationError(faults);
  // Not `href`, which keeps the question mark of an empty query.
  return (url.origin + url.pathname).replace(/\/+$/, "");
}
