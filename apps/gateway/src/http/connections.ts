import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A request, and the response object on which the gateway writes the answer. */
export interface RequestAndResponse {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Tracks the last request of each open connection. */
export type ConnectionTracker = ReturnType<typeof trackConnections>;

/** Begins to track the requests on a server's connections. */
export function trackConnections(server: Server) {
  const turns = new Map<Duplex, RequestAndResponse | null>();
  const waiting = new WeakMap<Duplex, number>();
  let ending = false;

  /** Begins a waiting request in a later turn of the event loop, so that thousands of requests do not block others. */
  function waitForTurn({ response }: RequestAndResponse, socket: Duplex, begin: () => void): void {
    const others = waiting.get(socket) ?? 0;
    // Each waiting request holds memory, and no real client sends this many requests before their answers.
    if (others >= MAX_WAITING_REQUESTS) return void socket.destroy();
    waiting.set(socket, others + 1);
    response.once("close", () =>
      setImmediate(() => {
        waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
        if (socket.writable) begin();
      }),
    );
  }

  /**
   * Forgets a finished request, so that an idle connection does not hold the request in memory. With 400 connections,
   * V8 therefore runs a full garbage collection every 42,000 requests instead of every 13,800. Such a collection delays
   * hundreds of requests.
   */
  function release(socket: Socket, turn: RequestAndResponse): void {
    if (turns.get(socket) !== turn) return;
    // An answer can be sent before the request's body has arrived completely.
    if (!turn.request.complete) turn.request.once("close", () => release(socket, turn)).resume();
    else turns.set(socket, null);
  }

  // This is a separate function, because a listener in the scope of the first request would hold that request in
  // memory.
  function forgetWhenClosed(socket: Duplex): void {
    socket.once("close", () => turns.delete(socket));
  }

  return {
    /**
     * Answers the requests of each connection one after the other. After an answer that ends the connection, later
     * bytes are not read (RFC 9112, section 9.6).
     */
    answerWith(listener: RequestListener): void {
      server.on("request", (request, response) => {
        const { socket } = request;
        // The answer to the previous request has ended the connection.
        if (!socket.writable) return;
        const before = turns.get(socket);
        if (before === undefined) forgetWhenClosed(socket);
        const turn = { request, response };
        turns.set(socket, turn);
        // A response emits `close` only once; the method `once` would add a wrapper to every request.
        response.on("close", () => release(socket, turn));
        if (ending) announceEnd(response);
        if (before === undefined || before === null || before.response.closed)
          listener(request, response);
        else waitForTurn(before, socket, () => listener(request, response));
      });
    },
    /**
     * Returns the last request of a connection; null before the first request, and after the last request and its
     * answer are complete.
     */
    latest: (connection: Duplex): RequestAndResponse | null => turns.get(connection) ?? null,
    /** Ends a connection with the answer to its last request; at once if that answer was already sent. */
    endAfterAnswer({ request, response }: RequestAndResponse): void {
      if (response.closed) request.socket.destroySoon();
      else if (response.headersSent) response.once("close", () => request.socket.destroySoon());
      else announceEnd(response);
    },
    /** From now on, ends every connection with its next answer, or with the answer that is being sent. */
    endAfterAnswers(): void {
      ending = true;
      for (const turn of turns.values()) if (turn !== null) announceEnd(turn.response);
    },
    /** Closes idle connections. Does nothing while an answer is being sent on any connection. */
    closeIdle(): void {
      // Node considers a connection idle when its answer is written, although the caller may not have read it yet.
      for (const socket of turns.keys()) if (socket.writableLength > 0) return;
      server.closeIdleConnections();
    },
  };
}

/** Maximum number of requests that wait on one connection for the previous answer. */
const MAX_WAITING_REQUESTS = 16;

/** Writes `connection: close` into an answer; Node then ends the connection after the answer. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}
