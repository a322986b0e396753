import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import { TLSSocket } from "node:tls";
import findMyWay from "find-my-way";
import {
  type AccountAdministration,
  AccountError,
  type AccountFault,
} from "../../accounts/administration.ts";
import type { AdministeredAccounts } from "../../accounts/gateway-accounts.ts";
import { createFixedWindows, type FixedWindows } from "../../callers/fixed-windows.ts";
import { readInMemory } from "../../http/body.ts";
import { parseJson } from "../../json.ts";
import { Refusal } from "../../problems/refusal.ts";
import { StoreUnavailableError } from "../../store/faults.ts";
import type { Verification } from "../verification/verify-accounts.ts";
import { inJson, noContent, type OperationsAnswer, problem } from "./operations-answer.ts";

/** Whether a path is one of theirs. */
export function isAccountPath(path: string): boolean {
  return path === PATH || path.startsWith(`${PATH}/`);
}

const PATH = "/accounts";

const statuses: Readonly<Record<AccountFault, number>> = {
  invalid: 400,
  not_found: 404,
  conflict: 409,
};

/** What the administration of accounts is served with. */
export interface AccountRoutesParts extends AdministeredAccounts {
  /** Called for a request with a wrong token, with the address that it came from. */
  readonly guessed: (from: string) => void;
  /** Makes a trial call with an account; gives nothing where there is none with this id. */
  readonly verify: (id: string) => Promise<readonly Verification[]>;
}

/** What one of these routes does. */
type AccountRoute = (request: IncomingMessage, id: string, by: string) => Promise<OperationsAnswer>;

/**
 * Makes the administration of accounts: GET and POST /accounts, PUT and DELETE /accounts/{id}, and POST
 * /accounts/{id}/verification, and GET /accounts/changes. They have a token of their own, and are answered over TLS, or
 * on loopback only, to no page of another origin. Secrets are only written.
 */
export function createAccountRoutes(
  parts: AccountRoutesParts,
): (request: IncomingMessage) => Promise<OperationsAnswer> {
  const find = routesOf(parts);
  const guesses = createFixedWindows();
  return async (request) => {
    const refusal =
      wayRefusal(request) ?? tokenRefusal(request, parts.token(), guesses, parts.guessed);
    if (refusal !== null) return refusal;
    try {
      return await find(request);
    } catch (error) {
      return problemOf(error);
    }
  };
}

/** Maximum of wrong tokens of one address in a window. */
const GUESSES = { max: 10, windowMs: 600_000 };

/** Refuses a request that came in a way that others may read, or from a page of others. Returns null if it may be answered. */
function wayRefusal({ headers, socket }: IncomingMessage): OperationsAnswer | null {
  if (!(socket instanceof TLSSocket) && !isLoopback(socket.remoteAddress ?? ""))
    return refuse(403, [
      "Accounts are administered from the gateway's own machine, or over TLS (operations.tls).",
    ]);
  const own = `${socket instanceof TLSSocket ? "https" : "http"}://${headers.host}`;
  if (headers.origin !== undefined && headers.origin !== own)
    return refuse(403, ["A page of another origin does not administer accounts."]);
  return null;
}

/** Refuses a request without the operator's token, and any request of an address that has sent too many wrong ones. */
function tokenRefusal(
  request: IncomingMessage,
  token: string | null,
  guesses: FixedWindows,
  guessed: (from: string) => void,
): OperationsAnswer | null {
  const from = addressOf(request);
  const sent = guesses.find(from);
  if (sent !== null && sent.count >= GUESSES.max)
    return refuse(429, ["Too many wrong tokens came from this address. Try again later."], {
      "retry-after": String(Math.ceil(sent.leftMs / 1_000)),
    });
  if (token !== null && isToken(request, token)) return null;
  if (request.headers.authorization !== undefined) {
    guesses.count(from, GUESSES.windowMs);
    guessed(from);
  }
  return refuse(401, ["Send the token of operations.accountsToken."], {
    "www-authenticate": "Bearer",
  });
}

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? "unknown";
}

/** Who asks: the name in the header `X-Operator`, if there is one, and the address. */
function authorOf(request: IncomingMessage): string {
  const name = request.headers["x-operator"];
  if (name === undefined) return addressOf(request);
  if (typeof name !== "string" || !/^[\w .@-]{1,64}$/.test(name))
    throw new AccountError("invalid", [
      "X-Operator: must be a name of 1 to 64 letters, digits, spaces and . _ @ -",
    ]);
  return `${name} (${addressOf(request)})`;
}

function routesOf({
  administration,
  verify,
}: AccountRoutesParts): (request: IncomingMessage) => Promise<OperationsAnswer> {
  const open = (): AccountAdministration => {
    const opened = administration();
    if (opened === null) throw new StoreUnavailableError("not open", false);
    return opened;
  };
  const routes: readonly (readonly [Method, string, AccountRoute])[] = [
    ["GET", PATH, async () => inJson({ items: await open().list() })],
    ["GET", `${PATH}/changes`, async () => inJson({ items: await open().changes(MOST_CHANGES) })],
    [
      "POST",
      PATH,
      async (request, _, by) => inJson(await open().add(await bodyOf(request), by), 201),
    ],
    [
      "PUT",
      `${PATH}/:id`,
      async (request, id, by) => {
        await open().rotate(id, await bodyOf(request), by);
        return noContent;
      },
    ],
    [
      "DELETE",
      `${PATH}/:id`,
      async (_, id, by) => {
        await open().remove(id, by);
        return noContent;
      },
    ],
    [
      "POST",
      `${PATH}/:id/verification`,
      async (_, id) => {
        const [found] = await verify(id);
        if (found === undefined)
          throw new AccountError("not_found", [`${id}: there is no such account`]);
        return inJson(found);
      },
    ],
  ];
  const router = findMyWay();
  for (const [method, path, route] of routes) router.on(method, path, () => {}, route);
  return async (request) => {
    const { method, url = "" } = request;
    const asked = methods.find((one) => one === (method === "HEAD" ? "GET" : method));
    const found = asked === undefined ? null : router.find(asked, url);
    if (found !== null) {
      // Every entry of the router was put there above.
      const route = found.store as AccountRoute;
      return route(request, found.params.id ?? "", authorOf(request));
    }
    const allowed = methods.filter((one) => router.find(one, url) !== null);
    if (allowed.length === 0) return refuse(404, ["There is no such path."]);
    const allow = allowed.map((one) => (one === "GET" ? "GET, HEAD" : one)).join(", ");
    return refuse(405, [`This path accepts ${allow}.`], { allow });
  };
}

const methods = ["GET", "POST", "PUT", "DELETE"] as const;
type Method = (typeof methods)[number];

/** What is answered instead where a route failed. */
function problemOf(error: unknown): OperationsAnswer {
  if (error instanceof AccountError) return refuse(statuses[error.fault], error.details);
  if (error instanceof StoreUnavailableError)
    return refuse(503, ["The gateway cannot reach its store. Try again later."]);
  if (!(error instanceof Refusal)) throw error;
  return refuse(error.code === "PAYLOAD_TOO_LARGE" ? 413 : 400, [error.details.detail]);
}

const MOST_CHANGES = 1_000;
const MOST_BODY_BYTES = 1_048_576;
/** More than an account has. */
const MOST_DEPTH = 16;

/** @throws Refusal if the body is not JSON, is too large, or does not arrive whole */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const body = await readInMemory(request, MOST_BODY_BYTES);
  const [type = ""] = (request.headers["content-type"] ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/json")
    throw new Refusal("UNSUPPORTED_MEDIA_TYPE", { detail: "Send JSON." });
  return parseJson(body, MOST_DEPTH);
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** Compared by their digests: how long it takes says nothing about the token. */
function isToken({ headers }: IncomingMessage, token: string): boolean {
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
  return problem(status, { detail: errors.join(" "), errors }, headers);
}
