import type { Endpoint } from "@insurance-gateway/core/contract";
import { encodeHeaders, encodeQuery, type RawInput } from "@insurance-gateway/core/runtime";
import { type Mapping, writeMapped } from "../mapping.ts";
import type { Clock, InsurerProblem, SandboxRecord } from "./records.ts";

/** A request that a simulated insurer receives, in the insurer's own dialect. */
export interface RawRequest {
  readonly method: string;
  /** The path after the insurer's address, without the query. */
  readonly path: string;
  /** The values of the route's parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** All values of all names; use `getAll` for a repeated name. */
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The media type of the body without parameters, in lower case; "" without one. */
  readonly mediaType: string;
  /** The body as text in the charset of its header, by default UTF-8; "" without a body. */
  readonly body: string;
  /** The body as bytes, such as a form with files. */
  readonly bytes: Uint8Array;
}

/** Creates a request for a dialect from the received data. */
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
    body: textIn(bytes, charset),
    bytes,
  };
}

function textIn(bytes: Uint8Array, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // The charset is unknown; the dialect can still read the bytes.
    return "";
  }
}

/** An answer of a simulated insurer, in the insurer's own dialect. */
export interface RawAnswer {
  readonly status: number;
  /** Including the `content-type` of the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The handler that a raw request asks for, with its input. The server validates the input against the declaration. */
export interface DeclaredCall {
  /** The name of the endpoint. */
  readonly endpoint: string;
  readonly input: {
    readonly params?: object;
    readonly query?: object;
    readonly headers?: object;
    readonly body?: unknown;
    /** The declared media type of the body. Default: the first. */
    readonly mediaType?: string;
  };
  /** The client's own name for a submission. */
  readonly reference?: string;
}

/** The answer of a handler, which the dialect serializes. */
export type DialectAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly body: unknown }
  | { readonly problem: InsurerProblem }
  /** A document, or an answer of bytes. Default type: PDF. */
  | { readonly file: Uint8Array; readonly mediaType?: string }
);

/** A route of the insurer's own interface. All its functions are pure. */
export interface SandboxRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Parameters in braces. */
  readonly path: string;
  /** Finds the requested handler. It answers a login, a malformed request or similar by itself. */
  readonly read: (
    request: RawRequest,
    clock: Clock,
    /** The insurer's records, oldest first. */
    records: readonly SandboxRecord[],
  ) => { readonly call: DeclaredCall } | { readonly answer: RawAnswer };
  /** Serializes the handler's answer. Not called if the handler does not answer or returns a broken text. */
  readonly write: (answer: DialectAnswer, request: RawRequest) => RawAnswer;
}

/** A credential that a simulated insurer accepts. It is not a secret, because it is valid only for the simulation. */
export type SandboxCredential =
  /** Headers with an API key, or a user name and password (HTTP Basic). */
  | { readonly type: "headers"; readonly headers: Readonly<Record<string, string>> }
  /** A login call, as the adapter sends it; or a user name and password in the message itself. */
  | { readonly type: "login" | "message"; readonly username: string; readonly password: string }
  /** OAuth 2 client credentials; the path of the token server is after the insurer's address. */
  | {
      readonly type: "oauth2";
      readonly path: string;
      readonly clientId: string;
      readonly clientSecret: string;
    };

/** A simulated insurer's own interface, a thin layer around the handlers. */
export interface SandboxDialect {
  readonly routes: readonly SandboxRoute[];
  /** The credentials that it requires. Default: none. */
  readonly credentials?: readonly SandboxCredential[];
  /** Refuses a request without these credentials; returns null to accept it. */
  readonly sendRefusal?: (request: RawRequest, clock: Clock) => RawAnswer | null;
}

/**
 * Converts the input that a dialect has read to the form of a request, to validate it against the endpoint's
 * declaration.
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
    // Declared numbers and booleans are texts in a query.
    search: encodeQuery({ ...query }, declared).slice(1),
    headers: encodeHeaders({ ...headers }),
    body,
    ...(mediaType === undefined ? {} : { mediaType }),
  };
}

/** An answer in JSON. */
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

/** An answer in JSON with our value in the insurer's format; status 500 if the rows cannot convert it. */
export function mappedAnswer(status: number, rows: Mapping, ours: unknown): RawAnswer {
  const mapped = writeMapped(rows, ours);
  return mapped.fits ? jsonAnswer(status, mapped.value) : jsonAnswer(500, {});
}

/** Parses a request's body as JSON; returns null if it is not JSON. */
export function jsonBody({ body }: RawRequest): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** The paging of a list: the names of the query's parameters, and the maximum page size. */
export interface QueriedPaging {
  readonly position: string;
  readonly size: string;
  readonly most: number;
}

/**
 * Returns the page that a query asks for. Default: the first page with the maximum size.
 * @returns null if the position or the size is out of range
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

/** Bearer tokens that contain their expiry, so that a simulated insurer stores none. */
export interface ExpiringTokens {
  /** How long a token is valid. */
  readonly seconds: number;
  issue(clock: Clock): string;
  /** Whether a request has a valid token. */
  isIn(request: RawRequest, clock: Clock): boolean;
}

/**
 * Creates the tokens of a simulated insurer.
 * @param name - the prefix of every token
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
