import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A request with its answer. */
export interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Knows what is going on on every connection that has had a request. */
export type Connections = ReturnType<typeof watchConnections>;

/** Watches the connections of a server. */
export function watchConnections(server: Server) {
  const turns = new Map<Duplex, Turn | null>();
  const waiting = new WeakMap<Duplex, number>();
  let ending = false;

  /** Not at once: thousands that were sent together would keep everything else from being looked at. */
  function waitForTurn({ response }: Turn, socket: Duplex, begin: () => void): void {
    const others = waiting.get(socket) ?? 0;
    // Each holds memory, and no client sends this many ahead.
    if (others >= MOST_WAITING) return void socket.destroy();
    waiting.set(socket, others + 1);
    response.once("close", () =>
      setImmediate(() => {
        waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
        if (socket.writable) begin();
      }),
    );
  }

  /**
   * Forgets a request that is over. An idle connection would hold all of it until its next one, by which time V8 has
   * moved it to the old generation: with 400 connections, a full collection, which delays hundreds of requests, every
   * 13,800 requests instead of every 42,000.
   */
  function release(socket: Socket, turn: Turn): void {
    if (turns.get(socket) !== turn) return;
    // The rest of its body comes after its answer.
    if (!turn.request.complete) turn.request.once("close", () => release(socket, turn)).resume();
    else turns.set(socket, null);
  }

  /** A listener made where a request is known would hold the connection's first request as long as it is open. */
  function forgetWhenClosed(socket: Duplex): void {
    socket.once("close", () => turns.delete(socket));
  }

  return {
    /**
     * Answers the requests of each connection one after the other. Bytes that were sent ahead of an answer that ends the
     * connection are not read (RFC 9112, section 9.6).
     */
    answerWith(listener: RequestListener): void {
      server.on("request", (request, response) => {
        const { socket } = request;
        // The answer before it has ended the connection.
        if (!socket.writable) return;
        const before = turns.get(socket);
        if (before === undefined) forgetWhenClosed(socket);
        const turn = { request, response };
        turns.set(socket, turn);
        // It comes only once; `once` would add a wrapper to every request.
        response.on("close", () => release(socket, turn));
        if (ending) announceEnd(response);
        if (before === undefined || before === null || before.response.closed)
          listener(request, response);
        else waitForTurn(before, socket, () => listener(request, response));
      });
    },
    /** The last request of a connection; null when it has come whole and its answer has left, and before the first. */
    latest: (connection: Duplex): Turn | null => turns.get(connection) ?? null,
    /** Lets the answer to the last request end its connection; at once where it has left already. */
    endAfterAnswer({ request, response }: Turn): void {
      if (response.closed) request.socket.destroySoon();
      else if (response.headersSent) response.once("close", () => request.socket.destroySoon());
      else announceEnd(response);
    },
    /** From now on, lets every answer end its connection: those that are on their way, and those to come. */
    endAfterAnswers(): void {
      ending = true;
      for (const turn of turns.values()) if (turn !== null) announceEnd(turn.response);
    },
    /** Closes connections on which nothing is going on, unless some answer is still leaving. */
    closeIdle(): void {
      // Node takes a connection for idle when its answer is written, though the caller may not have read it yet.
      for (const socket of turns.keys()) if (socket.writableLength > 0) return;
      server.closeIdleConnections();
    },
  };
}

/** The number of requests that may wait on a connection for the one before them. */
const MOST_WAITING = 16;

/** Lets an answer say that its connection ends with it; Node then ends it. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}
