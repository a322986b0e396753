import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { isIP, type Socket } from "node:net";
import type { ListenConfiguration } from "../../configuration/file.ts";
import type { Certificate } from "../../configuration/pem.ts";
import type { Difference, UnmatchedAnswer } from "../../events.ts";
import { addressOf, renewCertificate, tlsOptionsOf } from "../../http/server.ts";
import { limitUnreadBodies } from "../../http/unread-bodies.ts";
import type { Recording } from "../../insurers/drift/recording.ts";
import { http } from "../../node-http.ts";
import { failureOf } from "../logging/failure.ts";
import type { Logger } from "../logging/logger.ts";
import type { CountedAnswers } from "../observation/counted-answers.ts";
import type { Metrics } from "../observation/metrics.ts";
import { type AccountRoutesParts, createAccountRoutes, isAccountPath } from "./account-routes.ts";
import {
  jsonAnswer,
  noContent,
  type OperationsAnswer,
  problemAnswer,
  sendOperationsAnswer,
  typedAnswer,
} from "./operations-answer.ts";
import { readPage } from "./page.ts";
import { listProviders, type ProviderListParts } from "./provider-list.ts";

/** Arguments of `createOperations`. */
export interface OperationsParts extends ProviderListParts {
  /** Reports whether the gateway is ready for requests. */
  readonly isReady: () => boolean;
  readonly metrics: Pick<Metrics, "read" | "contentType">;
  readonly unmatched: Pick<CountedAnswers<UnmatchedAnswer>, "list">;
  readonly drift: Pick<CountedAnswers<Difference>, "list">;
  readonly recording: Pick<Recording, "examples">;
  readonly logger: Logger;
  readonly accounts: AccountRoutesParts;
  /** The host names of the operations address, besides IP addresses and localhost. */
  readonly names: readonly string[];
  /** The certificate of the server; null for plain HTTP. */
  readonly tls: Certificate | null;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** Answers a request to the operations address. */
type AnswerRequest = (request: IncomingMessage) => Promise<OperationsAnswer>;

/** Creates the operations server, which serves probes, metrics and the operator's pages. */
export function createOperations(parts: OperationsParts) {
  const { logger, tls } = parts;
  const answer = createAnswer(parts);
  const options = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    // `createAnswer` refuses a missing host name with the same answer as an unknown host name.
    requireHostHeader: false,
  };
  const server =
    tls === null
      ? http.createServer(options)
      : createHttpsServer({ ...options, ...tlsOptionsOf(tls) });
  limitUnreadBodies(server);
  // Node's `closeAllConnections` does not close connections whose TLS handshake has not ended.
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", (request, response) => {
    answer(request)
      .catch((error: unknown) => {
        logger.error({ failure: failureOf(error) }, "an operations page failed");
        return problemAnswer(500, {
          detail: "The gateway failed to answer. The log contains the place of the error.",
        });
      })
      .then((answered) => sendOperationsAnswer(answered, response))
      .catch((error: unknown) => {
        logger.error({ failure: failureOf(error) }, "an operations page failed");
        response.destroy();
      });
  });
  return {
    /** Starts to listen and returns the address. */
    async listen({ host, port }: ListenConfiguration): Promise<string> {
      server.listen({ host, port });
      await once(server, "listening");
      const address = server.address();
      if (address === null || typeof address === "string")
        throw new TypeError("A server that listens on TCP has an address with a port");
      return addressOf(address, tls === null ? "http" : "https");
    },
    /** Uses another certificate for new connections. Open connections keep the previous certificate. */
    renew: (renewed: Certificate | null): void => renewCertificate(server, renewed),
    /** Closes the server at once, even with open requests. */
    async close(): Promise<void> {
      if (!server.listening) return;
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

/**
 * Creates the function that answers requests. The function checks the host name first, and answers 421 to an unknown
 * name. Pages answer 405 to other methods than GET and HEAD. The routes for accounts check the token before the path.
 */
function createAnswer(parts: OperationsParts): AnswerRequest {
  const { accounts, names } = parts;
  const pages = pagesOf(parts);
  const answerAccounts = createAccountRoutes(accounts);
  return async (request) => {
    const path = request.url?.split("?", 1)[0] ?? "";
    // A web page in the operator's browser can have a host name that leads to this address (DNS rebinding).
    if (!isOwnName(hostnameOf(request), names))
      return problemAnswer(421, { detail: UNKNOWN_HOST_DETAIL });
    if (isAccountPath(path) && accounts.token() !== null) return answerAccounts(request);
    const page = pages.get(path) ?? examplesAt(path, parts.recording);
    if (page === undefined) return problemAnswer(404, { detail: NO_PAGE_DETAIL });
    if (request.method !== "GET" && request.method !== "HEAD")
      return problemAnswer(
        405,
        { detail: "This page is read-only. Use GET." },
        { allow: "GET, HEAD" },
      );
    return page();
  };
}

const EXAMPLES_PATH = /^\/examples\/([\w-]+)\/([\w-]+)$/;

/**
 * Returns the answer for `/examples/{segment}/{endpoint}`: the recorded examples of the endpoint. Returns undefined for
 * another path.
 */
function examplesAt(
  path: string,
  { examples }: OperationsParts["recording"],
): (() => OperationsAnswer) | undefined {
  const [, segment, endpoint] = EXAMPLES_PATH.exec(path) ?? [];
  if (segment === undefined || endpoint === undefined) return undefined;
  return () => jsonAnswer({ items: examples(segment, endpoint) });
}

/** Returns the functions that create the pages, by path. */
function pagesOf(
  parts: OperationsParts,
): ReadonlyMap<string, () => OperationsAnswer | Promise<OperationsAnswer>> {
  const { drift, isReady, metrics, unmatched } = parts;
  const page = readPage();
  const { contentSecurityPolicy } = page;
  const html = typedAnswer("text/html; charset=utf-8", page.html, {
    "content-security-policy": contentSecurityPolicy,
  });
  return new Map<string, () => OperationsAnswer | Promise<OperationsAnswer>>([
    ["/health/live", () => jsonAnswer({ status: "live" })],
    [
      "/health/ready",
      () =>
        isReady() ? jsonAnswer({ status: "ready" }) : jsonAnswer({ status: "not ready" }, 503),
    ],
    ["/metrics", async () => typedAnswer(metrics.contentType, await metrics.read())],
    ["/providers", async () => jsonAnswer(await listProviders(parts))],
    ["/answers", () => jsonAnswer({ items: unmatched.list() })],
    ["/drift", () => jsonAnswer({ items: drift.list() })],
    // Browsers request an icon for every page.
    ["/favicon.ico", () => noContent],
    ["/", () => html],
  ]);
}

const NO_PAGE_DETAIL = "There is no such page; / is the start page.";

const UNKNOWN_HOST_DETAIL =
  "Use the IP address, or add this host name to operations.names in the configuration.";

/** Returns the host in the Host header without the port; "" if the header is missing. */
function hostnameOf({ headers: { host = "" } }: IncomingMessage): string {
  return host.startsWith("[") ? host.slice(0, host.indexOf("]") + 1) : host.replace(/:.*$/, "");
}

function isOwnName(hostname: string, names: readonly string[]): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return (
    isIP(bare) !== 0 || bare === "localhost" || names.some((name) => name.toLowerCase() === bare)
  );
}
