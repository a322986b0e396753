import { createServer as createHttpsServer } from "node:https";
import { isIP } from "node:net";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import type { Certificate } from "../configuration/certificate.ts";
import type { ListenConfiguration } from "../configuration/file.ts";
import type { StoredDrift } from "../drift/stored-drift.ts";
import { contextOf, renewCertificate } from "../listener/server.ts";
import { failureOf } from "../logging/failure.ts";
import type { Logger } from "../logging/logger.ts";
import { http } from "../node-http.ts";
import { joinMetrics, type Metrics } from "../observation/metrics.ts";
import type { UnmatchedAnswers } from "../observation/unmatched-answers.ts";
import type { OwnAnswers, Peers } from "../processes/peers.ts";
import { joinAnswers, joinProviders } from "./all-processes.ts";
import {
  type ConnectionRoutesParts,
  isConnectionPath,
  serveConnections,
} from "./connection-routes.ts";
import { driftShown } from "./drift-list.ts";
import { createPage } from "./page.ts";
import { listProviders, type ProviderListParts } from "./provider-list.ts";
import { securityHeaders } from "./security-headers.ts";

/** What the operations listener is made of. */
export interface OperationsParts extends ProviderListParts {
  /** Whether the gateway takes requests. */
  readonly isReady: () => boolean;
  readonly metrics: Pick<Metrics, "read" | "collect" | "contentType">;
  readonly unmatched: Pick<UnmatchedAnswers, "list">;
  readonly drift: Pick<StoredDrift, "list">;
  readonly logger: Logger;
  /** Null where connections are not administered over HTTP. */
  readonly connections: ConnectionRoutesParts | null;
  /** The host names it is reached by, in addition to addresses and localhost. */
  readonly names: readonly string[];
  /** Null for plain HTTP. */
  readonly tls: Certificate | null;
  /** The processes for all of which this one answers; left out where it is the only one. */
  readonly peers?: Peers | undefined;
}

/** The address for the operator's tools, apart from the callers'. */
export interface Operations {
  /** Begins to listen and gives the address. */
  listen(place: ListenConfiguration): Promise<string>;
  /** Takes over a certificate. Connections that are open go on with the one that they began with. */
  renew(tls: Certificate | null): void;
  /** Closes it immediately, with requests still open. */
  close(): Promise<void>;
}

const REQUEST_WITHIN_MS = 10_000;

/** What a path answers to GET. */
type Answer = (reply: FastifyReply) => unknown;

/** Makes the operations listener: probes, metrics, and how the providers are, for programs and for people. */
export function createOperations(parts: OperationsParts): Operations {
  const { tls } = parts;
  const answers = answersOf(parts);
  const server = fastify({
    forceCloseConnections: true,
    serverFactory(handler) {
      const httpServer =
        tls === null ? http.createServer(handler) : createHttpsServer(contextOf(tls), handler);
      httpServer.requestTimeout = REQUEST_WITHIN_MS;
      return httpServer;
    },
    // A path that cannot be decoded.
    frameworkErrors: (_, __, reply) => void refuse(reply.headers(securityHeaders), 404, NO_PAGE),
  });
  refuseOthers(server, answers, parts);
  if (parts.connections !== null) serveConnections(server, parts.connections);
  for (const [path, answer] of answers) server.get(path, async (_, reply) => answer(reply));
  server.setErrorHandler((error, _, reply) => {
    parts.logger.error({ failure: failureOf(error) }, "an operations page failed");
    return refuse(reply, 500, "The gateway failed to answer; its log says where.");
  });
  return {
    async listen({ host, port }) {
      const address = await server.listen({ host, port });
      return tls === null ? address : address.replace(/^http:/, "https:");
    },
    renew: (renewed) => renewCertificate(server.server, renewed),
    close: () => server.close(),
  };
}

function answersOf(parts: OperationsParts): ReadonlyMap<string, Answer> {
  const { drift, metrics, peers } = parts;
  const own: OwnAnswers = {
    ready: parts.isReady,
    metrics: () => metrics.collect(),
    providers: () => listProviders(parts),
    answers: () => parts.unmatched.list(),
  };
  peers?.answerWith(own);
  const isReady = async (): Promise<boolean> =>
    peers === undefined ? own.ready() : (await peers.ask("ready")).includes(true);
  const page = createPage();
  return new Map<string, Answer>([
    ["/health/live", () => ({ status: "live" })],
    [
      "/health/ready",
      async (reply) =>
        (await isReady()) ? { status: "ready" } : reply.code(503).send({ status: "not ready" }),
    ],
    [
      "/metrics",
      async (reply) => {
        if (peers === undefined) return reply.type(metrics.contentType).send(await metrics.read());
        const all = await peers.ask("metrics");
        if (all.length === 0) return refuse(reply, 503, NO_PROCESS);
        return reply.type(metrics.contentType).send(await joinMetrics(all));
      },
    ],
    [
      "/providers",
      async (reply) => {
        if (peers === undefined) return own.providers();
        const all = await peers.ask("providers");
        return all.length === 0 ? refuse(reply, 503, NO_PROCESS) : joinProviders(all);
      },
    ],
    [
      "/answers",
      async (reply) => {
        if (peers === undefined) return { items: own.answers() };
        const all = await peers.ask("answers");
        return all.length === 0 ? refuse(reply, 503, NO_PROCESS) : { items: joinAnswers(all) };
      },
    ],
    ["/drift", async () => driftShown(await drift.list())],
    // Browsers ask for it with every page.
    ["/favicon.ico", (reply) => reply.code(204).send()],
    [
      "/",
      (reply) =>
        reply
          .type("text/html; charset=utf-8")
          .header("content-security-policy", page.contentSecurityPolicy)
          .send(page.html),
    ],
  ]);
}

const NO_PROCESS = "No process of the gateway answered in time. Try again.";

const NO_PAGE = "There is no such page; / is the start page.";

const OTHER_NAME =
  "Ask by the address, or put the name into operations.names of the configuration.";

/** Before anything of the request is read: other names are 421, other paths 404, other methods 405. */
function refuseOthers(
  server: FastifyInstance,
  answers: ReadonlyMap<string, Answer>,
  { connections, names }: Pick<OperationsParts, "connections" | "names">,
): void {
  server.addHook("onRequest", async (request, reply) => {
    reply.headers(securityHeaders);
    const path = request.originalUrl.split("?", 1)[0] ?? "";
    // A page of anybody's in the operator's browser can have a name that leads here (DNS rebinding).
    if (!isOwnName(request.hostname, names)) return refuse(reply, 421, OTHER_NAME);
    if (isConnectionPath(path) && (connections?.token() ?? null) !== null) return undefined;
    if (!answers.has(path)) return refuse(reply, 404, NO_PAGE);
    if (request.method !== "GET" && request.method !== "HEAD")
      return refuse(reply.header("allow", "GET, HEAD"), 405, "This page is only read: send GET.");
    return undefined;
  });
}

function isOwnName(hostname: string, names: readonly string[]): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return (
    isIP(bare) !== 0 || bare === "localhost" || names.some((name) => name.toLowerCase() === bare)
  );
}

function refuse(reply: FastifyReply, status: number, detail: string): FastifyReply {
  return reply
    .code(status)
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify({ status, detail }));
}
