import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { ArrivalLog } from "./arrival-log.ts";
import { loggedPartsOf } from "./arrived-request.ts";
import type { Connections } from "./connections.ts";
import { handleRequest } from "./exchange.ts";
import type { Arrival, FaultInjectingInsurerOptions, InsurerAnswer } from "./insurer.ts";
import type { Plan } from "./plan.ts";

/** The part of the insurer that accepts connections and reads requests. */
export interface Reception {
  /** Serves a connection. */
  accept(socket: Socket): void;
  /** Resolves with the next request after it is logged. Rejects if the reception ends before that. */
  nextArrival(): Promise<Arrival>;
  /** Rejects all promises that wait for a request, now or later. */
  end(reason: Error): void;
  /** The errors that `execute` threw, in order. */
  readonly failures: readonly unknown[];
}

/** The parts of the insurer that a reception needs. */
export interface ReceptionParts {
  readonly options: FaultInjectingInsurerOptions;
  readonly log: ArrivalLog;
  readonly plan: Plan;
  readonly connections: Connections;
}

/** The default delay of a late answer, in milliseconds: longer than every deadline. */
const LATE_AFTER_MS = 120_000;

/** Creates the reception, which reads requests, logs the requests and handles each by the plan of faults. */
export function createReception({ connections, log, options, plan }: ReceptionParts): Reception {
  const { execute, lateAfterMs = LATE_AFTER_MS, logHeaders = [] } = options;
  const awaited: PromiseWithResolvers<Arrival>[] = [];
  let ended: Error | undefined;
  const failures: unknown[] = [];
  // This server does not listen on a port, and has no timeouts.
  const http = createServer(
    { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 },
    (request, response) => void receive(request, response),
  );

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    connections.busy(socket);
    const body = await text(request).catch(() => null);
    // The client disconnected before the request was complete.
    if (body === null) return void socket.destroy();
    const fault = plan.take();
    // The connection was open before the test set this fault. The client must see that this request was never read.
    if (fault === "accept-and-reset" || fault === "refuse") return void socket.resetAndDestroy();
    try {
      const arrival = log.append(loggedPartsOf(request, body, logHeaders));
      for (const next of awaited.splice(0)) next.resolve(arrival);
      const keepAlive = fault === "keep-alive-closed" || (fault ?? plan.currentFault) === null;
      if (keepAlive) response.once("close", () => connections.idle(socket));
      const work = async (): Promise<InsurerAnswer> => execute(arrival);
      await handleRequest(fault, { socket, response, keepAlive, lateAfterMs, execute: work });
    } catch (error) {
      failures.push(error);
      socket.resetAndDestroy();
    }
  }

  return {
    failures,
    accept(socket) {
      connections.add(socket);
      // The insurer breaks connections on purpose, so their errors are ignored.
      socket.on("error", () => undefined);
      if (plan.next !== "accept-and-reset") return void http.emit("connection", socket);
      plan.take();
      // Wait a turn, so that a client in this process first sees the connection open and then sees the reset.
      setImmediate(() => socket.resetAndDestroy());
    },
    nextArrival() {
      const next = Promise.withResolvers<Arrival>();
      // The test may no longer wait for the promise when it is rejected.
      next.promise.catch(() => undefined);
      if (ended === undefined) awaited.push(next);
      else next.reject(ended);
      return next.promise;
    },
    end(reason) {
      ended = reason;
      for (const next of awaited.splice(0)) next.reject(reason);
    },
  };
}
