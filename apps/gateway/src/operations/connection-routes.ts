import { createHash, timingSafeEqual } from "node:crypto";
import { BlockList, isIPv6 } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  type ConnectionAdministration,
  ConnectionError,
  type ConnectionFault,
} from "../connections/administration.ts";
import type { AdministeredConnections } from "../connections/gateway-connections.ts";
import { StoreUnavailableError } from "../store/store.ts";
import type { Verification } from "../verification/verify-connections.ts";

/** Whether a path is one of theirs. */
export function isConnectionPath(path: string): boolean {
  return path === PATH || path.startsWith(`${PATH}/`);
}

const PATH = "/connections";

const statuses: Readonly<Record<ConnectionFault, number>> = {
  invalid: 400,
  not_found: 404,
  conflict: 409,
};

/** What the administration of connections is served with. */
export interface ConnectionRoutesParts extends AdministeredConnections {
  /** Makes a trial call with a connection; gives nothing where there is none with this id. */
  readonly verify: (id: string) => Promise<readonly Verification[]>;
}

/**
 * Serves the administration of connections: GET and POST /connections, PUT and DELETE /connections/{id}, and POST
 * /connections/{id}/verification. They have a token of their own, and are answered over TLS, or on loopback only. Secrets
 * are only written.
 */
export function serveConnections(server: FastifyInstance, parts: ConnectionRoutesParts): void {
  const { administration, token, verify } = parts;
  void server.register(async (routes) => {
    routes.addHook("onRequest", async (request, reply) => {
      if (request.protocol !== "https" && !isLoopback(request.socket.remoteAddress ?? ""))
        return refuse(reply, 403, [
          "Connections are administered from the gateway's own machine, or over TLS (operations.tls).",
        ]);
      const expected = token();
      if (expected === null || !isToken(request, expected))
        return refuse(reply.header("www-authenticate", "Bearer"), 401, [
          "Send the token of operations.connectionsToken.",
        ]);
      return undefined;
    });
    routes.setErrorHandler((error, _, reply) => {
      if (error instanceof ConnectionError)
        return refuse(reply, statuses[error.fault], error.details);
      if (error instanceof StoreUnavailableError) return refuse(reply, 503, [AWAY]);
      // The body cannot be read; the error's message could quote a secret.
      if (Object(error).statusCode === 400 || Object(error).statusCode === 415)
        return refuse(reply, 400, ["Send JSON."]);
      throw error;
    });
    const open = (): ConnectionAdministration => {
      const opened = administration();
      if (opened === null) throw new StoreUnavailableError("not open", false);
      return opened;
    };
    routes.get(PATH, async () => ({ items: await open().list() }));
    routes.post(PATH, async ({ body }, reply) => reply.code(201).send(await open().add(body)));
    routes.put(`${PATH}/:id`, async (request, reply) => {
      await open().rotate(idOf(request), request.body);
      return reply.code(204).send();
    });
    routes.post(`${PATH}/:id/verification`, async (request) => {
      const id = idOf(request);
      const [found] = await verify(id);
      if (found === undefined)
        throw new ConnectionError("not_found", [`${id}: there is no such connection`]);
      return found;
    });
    routes.delete(`${PATH}/:id`, async (request, reply) => {
      await open().remove(idOf(request));
      return reply.code(204).send();
    });
  });
}

const AWAY = "The gateway cannot reach its store. Try again later.";

function idOf({ params }: FastifyRequest): string {
  return String(Object(params).id);
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** Compared by their digests: how long it takes says nothing about the token. */
function isToken({ headers }: FastifyRequest, token: string): boolean {
  const [, given = ""] = /^Bearer (\S+)$/i.exec(headers.authorization ?? "") ?? [];
  return timingSafeEqual(digestOf(given), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function refuse(reply: FastifyReply, status: number, details: readonly string[]): FastifyReply {
  return reply
    .code(status)
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify({ status, detail: details.join(" "), errors: details }));
}
