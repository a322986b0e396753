import type { Endpoint } from "@insurance-gateway/core/contract";
import { encodeHeaders, encodeQuery, type RawInput } from "@insurance-gateway/core/runtime";
import { type Mapping, writeMapped } from "../mapping.ts";
import type { Clock, InsurerProblem, SandboxRecord } from "./records.ts";

/** A request in the insurer's own dialect, as a simulated insurer receives it. */
export interface RawRequest {
  readonly method: string;
  /** The path after the insurer's base address, without the query. */
  readonly path: string;
  /** The values of the route's parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The query. Use `getAll` for a repeated name. */
  readonly query: URLSearchParams;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The media type of the body in lower case, without parameters; "" without a type. */
  readonly mediaType: string;
  /** The body as text, in the charset of its header (default: UTF-8); "" without a body. */
  readonly body: string;
  /** The body as bytes, for example for a form with files. */
  readonly bytes: Uint8Array;
}

/** Creates the request of a dialect from the received HTTP request. */
export function rawRequestOf({
  bytes,
  search,
  ...arrived
}: Pick<RawRequest, "method" | "path" | "params" | "headers" | "bytes"> & {
  /** The query string, without its question mark. */
  readonly search: string;
}): RawRequest {
  const { "content-type": type = "" } = arrived.headers;
  const [mediaType = ""] = type.split(";", 1);
  const charset = /;\s*charset="?([^";\s]+)/i.exec(type)?.[1];
  return {
    ...arrived,
    query: new URLSearchParams(search),
    mediaType: mediaType.trim().toLowerCase(),
    body: decodeText(bytes, charset),
    bytes,
  };
}

function decodeText(bytes: Uint8Array, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // The charset is unknown. The dialect can still read the bytes.
    return "";
  }
}

/** An answer in the insurer's own dialect. */
export interface RawAnswer {
  readonly status: number;
  /** The headers, including the `content-type` of the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The declared call in a received request. The server validates the input of the call against the declaration. */
export interface DeclaredCall {
  /** The name of the endpoint. */
  readonly endpoint: string;
  readonly input: {
    readonly params?: object;
    readonly query?: object;
    readonly headers?: object;
    readonly body?: unknown;
    /** The declared media type of the body. Default: the first declared media type. */
    readonly mediaType?: string;
  };
  /** The client's reference for a submission: the ID that the gateway sent. */
  readonly reference?: string;
}

/** The answer of a handler, before the dialect writes it in the insurer's format. */
export type DialectAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly body: unknown }
  | { readonly problem: InsurerProblem }
  /** A document, or an answer of bytes. Default media type: PDF. */
  | { readonly file: Uint8Array; readonly mediaType?: string }
);

/** A route of the insurer's own interface. Its functions are pure. */
export interface SandboxRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path, with parameters in braces. */
  readonly path: string;
  /** Returns the declared call in a request, or the answer to a login, a malformed request and similar requests. */
  readonly read: (
    request: RawRequest,
    clock: Clock,
    /** The insurer's records, oldest first. */
    records: readonly SandboxRecord[],
  ) => { readonly call: DeclaredCall } | { readonly answer: RawAnswer };
  /** Writes a handler's answer. Not called if the handler does not answer or sends an invalid text. */
  readonly write: (answer: DialectAnswer, request: RawRequest) => RawAnswer;
}

/**
 * A credential that a simulated insurer accepts. The credential need not be secret, because only the simulation accepts
 * it.
 */
export type SandboxCredential =
  /** Headers with an API key, or a user name and password (HTTP Basic). */
  | { readonly type: "headers"; readonly headers: Readonly<Record<string, string>> }
  /** A user name and a password, which the adapter sends in a login call or in the message itself. */
  | { readonly type: "login" | "message"; readonly username: string; readonly password: string }
  /** OAuth 2 client credentials, with the path of the token server after the insurer's base address. */
  | {
      readonly type: "oauth2";
      readonly path: string;
      readonly clientId: string;
      readonly clientSecret: string;
    };

/** A simulated insurer's own interface: routes that call the handlers. */
export interface SandboxDialect {
  readonly routes: readonly SandboxRoute[];
  /** The accepted credentials. Default: no credentials are required. */
  readonly credentials?: readonly SandboxCredential[];
  /** Refuses a request without the accepted credentials. Returns null for an accepted request. */
  readonly refuse?: (request: RawRequest, clock: Clock) => RawAnswer | null;
}

/**
 * Converts the input that a dialect has read to the texts of an HTTP request, so that the server can validate the input
 * against the endpoint's declaration.
 */
export function rawInputOf(
  { query: declared }: Endpoint,
  { body, headers, mediaType, params, query }: DeclaredCall["input"],
): RawInput {
  const texts = Object.entries<unknown>({ ...params }).map(([name, value]) => [
    name,
    String(value),
  ]);
  return {
    params: Object.fromEntries(texts),
    // Numbers and booleans are texts in a query.
    search: encodeQuery({ ...query }, declared).slice(1),
    headers: encodeHeaders({ ...headers }),
    body,
    ...(mediaType === undefined ? {} : { mediaType }),
  };
}

/** Creates an answer in JSON. */
export function jsonAnswer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): RawAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(body),
  };
}

/** Creates a JSON answer with a declared value in the insurer's format; status 500 if `rows` do not fit the value. */
export function mappedAnswer(status: number, rows: Mapping, ours: unknown): RawAnswer {
  const mapped = writeMapped(rows, ours);
  return mapped.fits ? jsonAnswer(status, mapped.value) : jsonAnswer(500, {});
}

/** Parses a request's body as JSON, or returns null if that fails. */
export function jsonBody({ body }: RawRequest): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** The names of a list's paging parameters, and the maximum page size. */
export interface QueriedPaging {
  readonly position: string;
  readonly size: string;
  readonly most: number;
}

/**
 * Returns the page that a query requests. Default: the first page with the maximum size.
 * @returns null if the position or the size is not valid
 */
export function queriedPage(
  query: RawRequest["query"],
  { most, position: positionName, size: sizeName }: QueriedPaging,
): { readonly position: number; readonly size: number } | null {
  const position = query.get(positionName) ?? "0";
  const size = query.get(sizeName) ?? String(most);
  const isPage = /^\d{1,16}$/.test(position) && /^[1-9]\d{0,5}$/.test(size);
  return isPage && Number.isSafeInteger(Number(position)) && Number(size) <= most
    ? { position: Number(position), size: Number(size) }
    : null;
}

/** Bearer tokens that contain their expiry, so that a simulated insurer need not store tokens. */
export interface ExpiringTokens {
  /** Lifetime of a token in seconds. */
  readonly seconds: number;
  issue(clock: Clock): string;
  /** Reports whether a request has a valid token. */
  isIn(request: RawRequest, clock: Clock): boolean;
}

/**
 * Creates the tokens of a simulated insurer.
 * @param name - the prefix of each token
 */
export function expiringTokens(name: string, seconds: number): ExpiringTokens {
  const scheme = `Bearer ${name}-`;
  return {
    seconds,
    issue: (clock) => `${name}-${clock().getTime() + seconds * 1_000}`,
    isIn({ headers: { authorization = "" } }, clock) {
      const expires = authorization.startsWith(scheme) ? authorization.slice(scheme.length) : "";
      return /^\d{1,15}$/.test(expires) && Number(expires) > clock().getTime();
    },
  };
}
