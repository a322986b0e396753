import {
  type Endpoint,
  encodeHeaders,
  encodeQuery,
  type RawInput,
} from "@insurance-gateway/core/contract";
import { type Mapping, writeMapped } from "../mapping.ts";
import type { Clock, InsurerProblem, SandboxRecord } from "./sandbox.ts";

/** A request as it arrives at a simulated insurer, in the insurer's own dialect. */
export interface RawRequest {
  readonly method: string;
  /** After the insurer's address, without the query. */
  readonly path: string;
  /** The values of the route's parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Every value of every name: a repeated name is a list (`getAll`). */
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The media type of the body without parameters, in lower case; "" without one. */
  readonly mediaType: string;
  /** The body as text, in the charset that its header names, UTF-8 without one; "" without a body. */
  readonly body: string;
  /** The body as it arrived, such as a form with files. */
  readonly bytes: Uint8Array;
}

/** Makes the request that a dialect reads of what has arrived. */
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
    // A charset that nobody knows: the dialect still has the bytes.
    return "";
  }
}

/** What a simulated insurer answers with, in the insurer's own dialect. */
export interface RawAnswer {
  readonly status: number;
  /** With the `content-type` of the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Which handler a raw request asks for. The server checks the input against the declaration. */
export interface DeclaredCall {
  /** The name of the endpoint. */
  readonly endpoint: string;
  readonly input: {
    readonly params?: object;
    readonly query?: object;
    readonly headers?: object;
    readonly body?: unknown;
    /** The declared media type of the body; the first when left out. */
    readonly mediaType?: string;
  };
  /** The sender's own name for a submission. */
  readonly reference?: string;
}

/** What a handler answered, for the dialect to write. */
export type DialectAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly body: unknown }
  | { readonly problem: InsurerProblem }
  /** A document, or an answer of bytes; a PDF where no type is named. */
  | { readonly file: Uint8Array; readonly mediaType?: string }
);

/** A route of the insurer's own interface. All its functions are pure. */
export interface SandboxRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Parameters in braces. */
  readonly path: string;
  /** Reads which handler is requested, or answers by itself: what is no call of ours, such as a login, or is malformed. */
  readonly read: (
    request: RawRequest,
    clock: Clock,
    /** What the insurer keeps, oldest first. */
    records: readonly SandboxRecord[],
  ) => { readonly call: DeclaredCall } | { readonly answer: RawAnswer };
  /** Writes what the handler answered; not for silence, nor for a text that no dialect allows. */
  readonly write: (answer: DialectAnswer, request: RawRequest) => RawAnswer;
}

/** A credential that a simulated insurer knows. No secret: it opens nothing but the simulation. */
export type SandboxCredential =
  /** Headers with an API key, or a user name and password (HTTP Basic). */
  | { readonly type: "headers"; readonly headers: Readonly<Record<string, string>> }
  /** A login call, as the adapter makes it. */
  | { readonly type: "login"; readonly username: string; readonly password: string }
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
  /** What a gateway shows it; none when left out. */
  readonly credentials?: readonly SandboxCredential[];
  /** Refuses a request without these credentials; null lets it in. */
  readonly refuse?: (request: RawRequest, clock: Clock) => RawAnswer | null;
}

/** Writes the input that a dialect has read as a request has it, for the check against the endpoint's declaration. */
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
    // What is a number or a flag in the declaration is a text in every query.
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

/** An answer in JSON with our value as the insurer writes it; status 500 when the rows have no form for it. */
export function mappedAnswer(status: number, rows: Mapping, ours: unknown): RawAnswer {
  const mapped = writeMapped(rows, ours);
  return mapped.fits ? jsonAnswer(status, mapped.value) : jsonAnswer(500, {});
}

/** What a request's body says in JSON; null when it is no JSON. */
export function jsonBody({ body }: RawRequest): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** How a list is asked for in pages: the names of the query's parameters, and the most items of a page. */
export interface QueriedPaging {
  readonly position: string;
  readonly size: string;
  readonly most: number;
}

/**
 * The page that a query asks for: without parameters, the first with the most items.
 * @returns null when the position or the size is out of range
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

/** Bearer tokens that name the time when they end, so that a simulated insurer keeps none. */
export interface ExpiringTokens {
  /** How long a token is valid. */
  readonly seconds: number;
  issue(clock: Clock): string;
  /** Whether a request has a token that is still valid. */
  isIn(request: RawRequest, clock: Clock): boolean;
}

/**
 * Makes the tokens of a simulated insurer.
 * @param name - what every token begins with
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
