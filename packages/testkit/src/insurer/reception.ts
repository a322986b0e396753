import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { ArrivalLog } from "./arrival-log.ts";
import type { Connections } from "./connections.ts";
import { meet } from "./exchange.ts";
import type { Arrival, FaultInjectingInsurerOptions } from "./insurer.ts";
import type { Plan } from "./plan.ts";

/** Where connections come in and requests are read. */
export interface Reception {
  /** Serves a connection. */
  accept(socket: Socket): void;
  /** Resolves with the next request to arrive, after it is logged. */
  nextArrival(): Promise<Arrival>;
  /** What `execute` threw, in order. */
  readonly failures: readonly unknown[];
}

/** What a reception works with. */
export interface ReceptionParts {
  readonly execute: FaultInjectingInsurerOptions["execute"];
  readonly log: ArrivalLog;
  readonly plan: Plan;
  readonly connections: Connections;
}

/** Reads requests, writes each down and then does with it what the plan says. */
export function createReception({ connections, execute, log, plan }: ReceptionParts): Reception {
  const awaited: ((arrival: Arrival) => void)[] = [];
  const failures: unknown[] = [];
  // It listens nowhere itself, and no time of its own ends a connection.
  const http = createServer(
    { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 },
    (request, response) => void receive(request, response),
  );

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    connections.busy(socket);
    const body = await text(request).catch(() => null);
    // Its caller went away before all of it had come, or the insurer has shut itself off.
    if (body === null || plan.standing === "refuse") return void socket.destroy();
    const fault = plan.take();
    // On a connection that was open before it was scripted: for its caller this request was never read.
    if (fault === "accept-and-reset" || fault === "refuse") return void socket.resetAndDestroy();
    try {
      const arrival = log.append(arrivalOf(request, body));
      for (const resolve of awaited.splice(0)) resolve(arrival);
      const keepAlive = fault === "keep-alive-closed" || (fault ?? plan.standing) === null;
      if (keepAlive) response.once("close", () => connections.idle(socket));
      await meet(fault, { socket, response, keepAlive, execute: async () => execute(arrival) });
    } catch (error) {
      failures.push(error);
      socket.resetAndDestroy();
    }
  }

  return {
    failures,
    accept(socket) {
      connections.add(socket);
      // Connections are broken on purpose here.
      socket.on("error", () => undefined);
      if (plan.next !== "accept-and-reset") return void http.emit("connection", socket);
      plan.take();
      // A turn later, so that a caller in this process sees its connection made before it sees it reset.
      setImmediate(() => socket.resetAndDestroy());
    },
    nextArrival: () => new Promise((resolve) => awaited.push(resolve)),
  };
}

function arrivalOf(request: IncomingMessage, body: string): Omit<Arrival, "number"> {
  const { headers, method = "", url = "" } = request;
  const [path = "", ...query] = url.split("?");
  const shown = Object.entries(headers)
    .filter(([name]) => name !== "authorization")
    .map(([name, value]) => [name, value?.toString() ?? ""]);
  return {
    method,
    path,
    query: query.join("?"),
    reference: headers["idempotency-key"]?.toString().replace(/^"(.*)"$/, "$1") ?? null,
    headers: Object.fromEntries(shown),
    body,
  };
}
