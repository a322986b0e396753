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
  inJson,
  inType,
  noContent,
  type OperationsAnswer,
  problem,
  sendOperationsAnswer,
} from "./operations-answer.ts";
import { readPage } from "./page.ts";
import { listProviders, type ProviderListParts } from "./provider-list.ts";

/** The parts of the operations listener. */
export interface OperationsParts extends ProviderListParts {
  /** Whether the gateway takes requests. */
  readonly isReady: () => boolean;
  readonly metrics: Pick<Metrics, "read" | "contentType">;
  readonly unmatched: Pick<CountedAnswers<UnmatchedAnswer>, "list">;
  readonly drift: Pick<CountedAnswers<Difference>, "list">;
  readonly recording: Pick<Recording, "examples">;
  readonly logger: Logger;
  readonly accounts: AccountRoutesParts;
  /** The host names it is reached by, in addition to addresses and localhost. */
  readonly names: readonly string[];
  /** Null for plain HTTP. */
  readonly tls: Certificate | null;
}

const REQUEST_WITHIN_MS = 10_000;

/** Answers a request to the operations listener. */
type AnswerRequest = (request: IncomingMessage) => Promise<OperationsAnswer>;

/** Makes the operations listener: probes, metrics, and how the providers are, for programs and for people. */
export function createOperations(parts: OperationsParts) {
  const { logger, tls } = parts;
  const answer = createAnswer(parts);
  const options = {
    requestTimeout: REQUEST_WITHIN_MS,
    headersTimeout: REQUEST_WITHIN_MS,
    // A missing name is refused like any other name that is not the gateway's.
    requireHostHeader: false,
  };
  const server =
    tls === null
      ? http.createServer(options)
      : createHttpsServer({ ...options, ...tlsOptionsOf(tls) });
  limitUnreadBodies(server);
  // Node's own list lacks connections whose TLS handshake has not ended.
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", (request, response) => {
    answer(request)
      .catch((error: unknown) => {
        logger.error({ failure: failureOf(error) }, "an operations page failed");
        return problem(500, { detail: "The gateway failed to answer; its log says where." });
      })
      .then((answered) => sendOperationsAnswer(answered, response))
      .catch((error: unknown) => {
        logger.error({ failure: failureOf(error) }, "an operations page failed");
        response.destroy();
      });
  });
  return {
    /** Begins to listen and gives the address. */
    async listen({ host, port }: ListenConfiguration): Promise<string> {
      server.listen({ host, port });
      await once(server, "listening");
      const address = server.address();
      if (address === null || typeof address === "string")
        throw new TypeError("A server that listens on TCP has an address with a port");
      return addressOf(address, tls === null ? "http" : "https");
    },
    /** Takes over a certificate. Connections that are open go on with the one that they began with. */
    renew: (renewed: Certificate | null): void => renewCertificate(server, renewed),
    /** Closes it immediately, with requests still open. */
    async close(): Promise<void> {
      if (!server.listening) return;
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

/**
 * Refuses other names with 421 first. A page refuses other methods with 405. The administration of accounts refuses
 * requests without its token before it looks at their path.
 */
function createAnswer(parts: OperationsParts): AnswerRequest {
  const { accounts, names } = parts;
  const pages = pagesOf(parts);
  const answerAccounts = createAccountRoutes(accounts);
  return async (request) => {
    const path = request.url?.split("?", 1)[0] ?? "";
    // A page of anybody's in the operator's browser can have a name that leads here (DNS rebinding).
    if (!isOwnName(hostnameOf(request), names)) return problem(421, { detail: OTHER_NAME });
    if (isAccountPath(path) && accounts.token() !== null) return answerAccounts(request);
    const page = pages.get(path) ?? examplesAt(path, parts.recording);
    if (page === undefined) return problem(404, { detail: NO_PAGE });
    if (request.method !== "GET" && request.method !== "HEAD")
      return problem(405, { detail: "This page is only read: send GET." }, { allow: "GET, HEAD" });
    return page();
  };
}

const EXAMPLES = /^\/examples\/([\w-]+)\/([\w-]+)$/;

/** Answers `/examples/{segment}/{endpoint}` with the examples of an endpoint; undefined for another path. */
function examplesAt(
  path: string,
  { examples }: OperationsParts["recording"],
): (() => OperationsAnswer) | undefined {
  const [, segment, endpoint] = EXAMPLES.exec(path) ?? [];
  if (segment === undefined || endpoint === undefined) return undefined;
  return () => inJson({ items: examples(segment, endpoint) });
}

/** Returns the answers to GET, by path. */
function pagesOf(
  parts: OperationsParts,
): ReadonlyMap<string, () => OperationsAnswer | Promise<OperationsAnswer>> {
  const { drift, isReady, metrics, unmatched } = parts;
  const page = readPage();
  const { contentSecurityPolicy } = page;
  const html = inType("text/html; charset=utf-8", page.html, {
    "content-security-policy": contentSecurityPolicy,
  });
  return new Map<string, () => OperationsAnswer | Promise<OperationsAnswer>>([
    ["/health/live", () => inJson({ status: "live" })],
    [
      "/health/ready",
      () => (isReady() ? inJson({ status: "ready" }) : inJson({ status: "not ready" }, 503)),
    ],
    ["/metrics", async () => inType(metrics.contentType, await metrics.read())],
    ["/providers", async () => inJson(await listProviders(parts))],
    ["/answers", () => inJson({ items: unmatched.list() })],
    ["/drift", () => inJson({ items: drift.list() })],
    // Browsers ask for it with every page.
    ["/favicon.ico", () => noContent],
    ["/", () => html],
  ]);
}

const NO_PAGE = "There is no such page; / is the start page.";

const OTHER_NAME =
  "Ask by the address, or put the name into operations.names of the configuration.";

/** The host of the request's Host header, without a port; "" where it has none. */
function hostnameOf({ headers: { host = "" } }: IncomingMessage): string {
  return host.startsWith("[") ? host.slice(0, host.indexOf("]") + 1) : host.replace(/:.*$/, "");
}

function isOwnName(hostname: string, names: readonly string[]): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return (
    isIP(bare) !== 0 || bare === "localhost" || names.some((name) => name.toLowerCase() === bare)
  );
}
