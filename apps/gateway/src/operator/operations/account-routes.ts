import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import { TLSSocket } from "node:tls";
import { Refusal } from "@insurance-gateway/core/runtime";
import {
  type AccountAdministration,
  AccountError,
  type AccountFault,
} from "../../accounts/administration.ts";
import { createFixedWindows, type FixedWindows } from "../../callers/fixed-windows.ts";
import { readInMemory } from "../../http/body.ts";
import { parseJson } from "../../json.ts";
import { StoreUnavailableError } from "../../store/faults.ts";
import type { Verification } from "../verification/verify-accounts.ts";
import {
  jsonAnswer,
  noContent,
  type OperationsAnswer,
  problemAnswer,
} from "./operations-answer.ts";

/** Reports whether a path belongs to the administration of accounts. */
export function isAccountPath(path: string): boolean {
  return path === ACCOUNTS_PATH || path.startsWith(`${ACCOUNTS_PATH}/`);
}

const ACCOUNTS_PATH = "/accounts";

const statuses: Readonly<Record<AccountFault, number>> = {
  invalid: 400,
  not_found: 404,
  conflict: 409,
};

/** Arguments of `createAccountRoutes`. */
export interface AccountRoutesParts {
  /** Returns the bearer token that requests must have; null if every request is refused. */
  readonly token: () => string | null;
  /** Returns the administration of accounts. @throws StoreUnavailableError while the store is unavailable */
  readonly administration: () => AccountAdministration;
  /** Called for a request with a wrong token, with the IP address of the sender. */
  readonly guessed: (from: string) => void;
  /** Makes a trial call with an account; returns null for an unknown id. */
  readonly verify: (id: string) => Promise<Verification | null>;
}

/**
 * Creates the routes for accounts: GET and POST /accounts, DELETE /accounts/{id} and POST /accounts/{id}/verification.
 * The routes require the token of `operations.accountsToken`, and TLS for requests from another machine. The routes
 * refuse web pages of another origin, and never return a secret.
 */
export function createAccountRoutes(
  parts: AccountRoutesParts,
): (request: IncomingMessage) => Promise<OperationsAnswer> {
  const paths = pathsOf(parts);
  const guesses = createFixedWindows();
  return async (request) => {
    const refusal =
      insecureRequestRefusal(request) ??
      tokenRefusal(request, parts.token(), guesses, parts.guessed);
    if (refusal !== null) return refusal;
    try {
      return await answerWith(paths, request);
    } catch (error) {
      return problemOf(error);
    }
  };
}

/** Maximum number of wrong tokens from one address in a period, and the length of this period. */
const WRONG_TOKENS = { max: 10, windowMs: 600_000 };

/**
 * Returns the refusal of a request without TLS from another machine, or from a web page of another origin; null for any
 * other request.
 */
function insecureRequestRefusal({ headers, socket }: IncomingMessage): OperationsAnswer | null {
  if (!(socket instanceof TLSSocket) && !isLoopback(socket.remoteAddress ?? ""))
    return refuse(403, [
      "Accounts must be administered from the gateway's own machine or over TLS (operations.tls).",
    ]);
  const own = `${socket instanceof TLSSocket ? "https" : "http"}://${headers.host}`;
  if (headers.origin !== undefined && headers.origin !== own)
    return refuse(403, ["A page of another origin must not administer accounts."]);
  return null;
}

/**
 * Returns the refusal of a request without the operator's token, or from an address with too many wrong tokens; null
 * for any other request.
 */
function tokenRefusal(
  request: IncomingMessage,
  token: string | null,
  guesses: FixedWindows,
  guessed: (from: string) => void,
): OperationsAnswer | null {
  const from = addressOf(request);
  const sent = guesses.find(from);
  if (sent !== null && sent.count >= WRONG_TOKENS.max)
    return refuse(429, ["Too many wrong tokens came from this address. Try again later."], {
      "retry-after": String(Math.ceil(sent.leftMs / 1_000)),
    });
  if (token !== null && hasToken(request, token)) return null;
  if (request.headers.authorization !== undefined) {
    guesses.count(from, WRONG_TOKENS.windowMs);
    guessed(from);
  }
  return refuse(401, ["Send the token of operations.accountsToken."], {
    "www-authenticate": "Bearer",
  });
}

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? "unknown";
}

/** Returns the author of a change: the name in the header `X-Operator`, if the request has it, and the IP address. */
function authorOf(request: IncomingMessage): string {
  const name = request.headers["x-operator"];
  if (name === undefined) return addressOf(request);
  if (typeof name !== "string" || !/^[\w .@-]{1,64}$/.test(name))
    throw new AccountError("invalid", [
      "X-Operator: must be a name of 1 to 64 letters, digits, spaces and . _ @ -",
    ]);
  return `${name} (${addressOf(request)})`;
}

/** Answers a request to one of the routes. @param id - the account's id in the path; "" if the path has no id */
type Route = (request: IncomingMessage, id: string) => Promise<OperationsAnswer>;

/** The pattern of a path, whose first group is an account's id, and the route for each method. */
type AccountPath = readonly [pattern: RegExp, methods: Readonly<Record<string, Route>>];

function pathsOf({ administration, verify }: AccountRoutesParts): readonly AccountPath[] {
  const list: Route = async () =>
    jsonAnswer({
      items: await administration().list(),
      changes: await administration().changes(MAX_LISTED_CHANGES),
    });
  const put: Route = async (request) => {
    const change = await administration().put(await readJsonBody(request), authorOf(request));
    return jsonAnswer(change, change.action === "added" ? 201 : 200);
  };
  const remove: Route = async (request, id) => {
    await administration().remove(id, authorOf(request));
    return noContent;
  };
  const verified: Route = async (_, id) => {
    const found = await verify(id);
    if (found === null) throw new AccountError("not_found", [`${id}: there is no such account`]);
    return jsonAnswer(found);
  };
  return [
    [/^\/accounts$/, { GET: list, HEAD: list, POST: put }],
    [/^\/accounts\/([\w.-]+)$/, { DELETE: remove }],
    [/^\/accounts\/([\w.-]+)\/verification$/, { POST: verified }],
  ];
}

async function answerWith(
  paths: readonly AccountPath[],
  request: IncomingMessage,
): Promise<OperationsAnswer> {
  const [asked = ""] = (request.url ?? "").split("?", 1);
  const path = paths.find(([pattern]) => pattern.test(asked));
  if (path === undefined) return refuse(404, ["There is no such path."]);
  const [pattern, methods] = path;
  const route = methods[request.method ?? ""];
  if (route !== undefined) return route(request, pattern.exec(asked)?.[1] ?? "");
  const allow = Object.keys(methods).join(", ");
  return refuse(405, [`This path accepts ${allow}.`], { allow });
}

/** Returns the answer for a route that failed. */
function problemOf(error: unknown): OperationsAnswer {
  if (error instanceof AccountError) return refuse(statuses[error.fault], error.details);
  if (error instanceof StoreUnavailableError)
    return refuse(503, ["The gateway cannot reach its store. Try again later."]);
  if (!(error instanceof Refusal)) throw error;
  return refuse(error.code === "PAYLOAD_TOO_LARGE" ? 413 : 400, [error.details.detail]);
}

const MAX_LISTED_CHANGES = 1_000;
const MAX_BODY_BYTES = 1_048_576;
/** Maximum nesting of the JSON body. An account needs less nesting. */
const MAX_BODY_DEPTH = 16;

/** Reads the JSON body of a request. @throws Refusal if the body is not JSON, is too large or arrives incompletely */
async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const body = await readInMemory(request, MAX_BODY_BYTES);
  const [type = ""] = (request.headers["content-type"] ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/json")
    throw new Refusal("UNSUPPORTED_MEDIA_TYPE", { detail: "Send JSON." });
  return parseJson(body, MAX_BODY_DEPTH);
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** Compares digests of the tokens, so that the duration of the comparison reveals nothing about the token. */
function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const [, given = ""] = /^Bearer (\S+)$/i.exec(headers.authorization ?? "") ?? [];
  return timingSafeEqual(digestOf(given), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function refuse(
  status: number,
  errors: readonly string[],
  headers?: Readonly<Record<string, string>>,
): OperationsAnswer {
  return problemAnswer(status, { detail: errors.join(" "), errors }, headers);
}
