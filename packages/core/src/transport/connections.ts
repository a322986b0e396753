import { Client, type Dispatcher } from "undici";
import { skipInterimAnswers } from "./interim-answers.ts";
import type { ClientMaker, Route } from "./route.ts";
import type { ConnectionChoice } from "./transport.ts";

/** Connection to one origin, which only one exchange at a time uses. */
export interface Connection {
  /** Sends requests. undici calls `onResponseEnd` or `onResponseError` of a handler once, unless `dispatch` throws. */
  readonly client: Pick<Dispatcher, "dispatch">;
  /** Records that a request is being written. Returns true if the connection was opened for this request. */
  begin(): boolean;
  /** Returns the connection to the pool, or closes it if the exchange failed. */
  giveBack(state: "usable" | "broken"): void;
  /** Closes the connection. An exchange that uses the connection fails. Resolves when the connection is closed. */
  close(): Promise<void>;
}

/** Requirements of an exchange for its connection. */
export interface ConnectionRequirements {
  readonly choice: ConnectionChoice;
  /** Owner of the request; undefined for a request without an owner. */
  readonly owner?: string | undefined;
}

/** Connections of one transport. */
export interface Connections {
  /** Lends an idle connection. Returns null if no connection is idle, or if other requests are waiting. */
  take(origin: string, wanted: ConnectionRequirements): Connection | null;
  /**
   * Lends a connection as soon as one is idle.
   * @returns a function that ends the wait of the request
   */
  wait(
    origin: string,
    wanted: ConnectionRequirements,
    start: (lent: Connection) => void,
  ): () => void;
  /** Returns the number of exchanges that use or wait for a connection. */
  unfinished(): number;
  /** Waits until no exchange uses or waits for a connection, then closes all connections. */
  close(): Promise<void>;
}

/** Time after its last answer in which a connection counts as fresh, in milliseconds. */
const MAX_FRESH_AGE_MS = 1_000;

/**
 * Time before the end of the insurer's `Keep-Alive: timeout=` at which an idle connection is closed, in milliseconds.
 * If the header has two seconds or less, the connection is closed at once, so a fresh connection is always younger than
 * half of the header's time.
 */
const KEEP_ALIVE_MARGIN_MS = 2_000;

/**
 * Time for which the client remembers that a server closed an idle connection early, in milliseconds. The cause may
 * have been a restart.
 */
const EARLY_CLOSING_MEMORY_MS = 600_000;

/** Connection in the pool. */
interface PooledConnection extends Connection {
  /** Returns the time at which the connection's last answer ended, by `performance.now()`. */
  idleSince(): number;
  /** Returns the kind of requests that the connection carried; null before its first request. */
  carried(): CarriedRequests | null;
  /** Records the request that uses the connection from now on. */
  lend(wanted: ConnectionRequirements): void;
}

/**
 * Kind of requests that one connection carries: the requests of one owner, either with the choice `any` or with another
 * choice. A late answer could be mistaken for the answer to the next request, so requests of two owners never share a
 * connection.
 */
interface CarriedRequests extends Pick<ConnectionRequirements, "owner"> {
  readonly isAny: boolean;
}

/** Request that waits for a connection. */
interface PendingRequest extends ConnectionRequirements {
  readonly start: (lent: Connection) => void;
}

/** Connections to one origin, and the requests that wait for them. */
interface OriginPool {
  readonly address: string;
  readonly connections: Set<PooledConnection>;
  /** Idle connections, in the order in which their last answers ended. */
  readonly idle: PooledConnection[];
  /** Waiting requests, oldest first. */
  readonly pending: Set<PendingRequest>;
  /** Shortest idle time after which the server closed a connection, and the time of this closing. */
  earlyClosing: { readonly idleMs: number; readonly at: number } | null;
}

/** Settings of the connections of one transport. */
export interface ConnectionsSettings {
  readonly route: Route;
  /** Maximum of connections to one origin. */
  readonly maximum: number;
  /** Called if a server sends bytes without a request. */
  readonly unaskedBytes: () => void;
}

/**
 * Creates the connections of one transport. Each connection is a separate undici client, because undici's pool does not
 * report which connection a request uses, or when a connection was last used.
 */
export function createConnections({
  maximum,
  route,
  unaskedBytes,
}: ConnectionsSettings): Connections {
  const origins = new Map<string, OriginPool>();
  let unfinished = 0;
  let closing: PromiseWithResolvers<void> | undefined;

  function originOf(address: string): OriginPool {
    const known = origins.get(address);
    if (known !== undefined) return known;
    const made: OriginPool = {
      address,
      connections: new Set(),
      idle: [],
      pending: new Set(),
      earlyClosing: null,
    };
    origins.set(address, made);
    return made;
  }

  function connectionFor(
    origin: OriginPool,
    wanted: ConnectionRequirements,
  ): PooledConnection | undefined {
    const { address, connections, idle } = origin;
    const index = idle.findLastIndex((one) => mayUseConnection(one, wanted, origin));
    const suitable = idle[index];
    if (suitable !== undefined) {
      idle.splice(index, 1);
      suitable.lend(wanted);
      return suitable;
    }
    // At the maximum, an idle connection is closed to make room, if possible a connection that is too old for any
    // request.
    if (connections.size >= maximum)
      void (idle.find((one) => isStale(one, origin)) ?? idle[0])?.close();
    if (connections.size >= maximum) return undefined;
    const made = openConnection(address, route, {
      usable() {
        idle.push(made);
        serve(origin);
      },
      returned,
      unaskedBytes,
      closedByServer: (idleMs) => recordEarlyClosing(origin, idleMs),
      closed() {
        connections.delete(made);
        const index = idle.indexOf(made);
        if (index !== -1) idle.splice(index, 1);
        queueMicrotask(() => serve(origin));
      },
    });
    connections.add(made);
    made.lend(wanted);
    return made;
  }

  function serve(origin: OriginPool): void {
    for (const request of origin.pending) {
      const connection = connectionFor(origin, request);
      if (connection === undefined) return;
      origin.pending.delete(request);
      request.start(connection);
    }
  }

  function returned(): void {
    unfinished -= 1;
    if (unfinished === 0) closing?.resolve();
  }

  return {
    take(address, wanted) {
      const origin = originOf(address);
      const connection = origin.pending.size > 0 ? undefined : connectionFor(origin, wanted);
      if (connection === undefined) return null;
      unfinished += 1;
      return connection;
    },
    wait(address, wanted, start) {
      const { pending } = originOf(address);
      const request = { ...wanted, start };
      unfinished += 1;
      pending.add(request);
      return () => {
        if (pending.delete(request)) returned();
      };
    },
    unfinished: () => unfinished,
    async close() {
      closing ??= Promise.withResolvers();
      if (unfinished === 0) closing.resolve();
      await closing.promise;
      const open = [...origins.values()].flatMap(({ connections }) => [...connections]);
      await Promise.all(open.map((connection) => connection.close()));
    },
  };
}

function mayUseConnection(
  connection: PooledConnection,
  { choice, owner }: ConnectionRequirements,
  origin: OriginPool,
): boolean {
  const carried = connection.carried();
  if (choice === "new" || carried === null || carried.owner !== owner) return false;
  return carried.isAny ? choice === "any" : choice === "fresh" && !isStale(connection, origin);
}

/** Reports whether a connection that only `fresh` requests may use is too old for them. */
function isStale(connection: PooledConnection, origin: OriginPool): boolean {
  const idleMs = performance.now() - connection.idleSince();
  return connection.carried()?.isAny !== true && idleMs >= maxFreshAgeMs(origin);
}

/**
 * Returns the maximum age of a fresh connection, in milliseconds. It is shorter after the server closed an idle
 * connection, because a server may not report its idle timeout.
 */
function maxFreshAgeMs({ earlyClosing }: OriginPool): number {
  return earlyClosing !== null && isRecentClosing(earlyClosing)
    ? Math.min(MAX_FRESH_AGE_MS, earlyClosing.idleMs / 2)
    : MAX_FRESH_AGE_MS;
}

function isRecentClosing({ at }: NonNullable<OriginPool["earlyClosing"]>): boolean {
  return performance.now() - at < EARLY_CLOSING_MEMORY_MS;
}

/** Stores the idle time after which a server closed a connection, if it is the shortest recent time. */
function recordEarlyClosing(origin: OriginPool, idleMs: number): void {
  const known = origin.earlyClosing;
  if (known === null || !isRecentClosing(known) || idleMs < known.idleMs)
    origin.earlyClosing = { idleMs, at: performance.now() };
}

/** Callbacks with which a connection informs its pool. */
interface ConnectionEvents {
  /** The connection is idle again. */
  readonly usable: () => void;
  /** The exchange on the connection has ended. */
  readonly returned: () => void;
  readonly unaskedBytes: () => void;
  /**
   * The server closed the idle connection, or sent bytes on the connection, `idleMs` milliseconds after the last
   * answer.
   */
  readonly closedByServer: (idleMs: number) => void;
  readonly closed: () => void;
}

/** Creates a connection, which opens at its first request. */
function openConnection(address: string, route: Route, events: ConnectionEvents): PooledConnection {
  let state: "lent" | "settling" | "idle" | "closed" = "idle";
  let isLent = false;
  let idleSince = 0;
  let isNew = false;
  let carried: CarriedRequests | null = null;
  let isSingleUse = false;
  let isAnswerDue = false;
  let expectAnswer = (): void => undefined;

  const make: ClientMaker = (origin, connector) => {
    const made = new Client(origin, {
      connect(options, callback) {
        connector(options, (...result) => {
          const [error, socket] = result;
          if (error === null) {
            isNew = true;
            expectAnswer = skipInterimAnswers(socket);
          }
          callback(...result);
        });
      },
      pipelining: 1,
      // Over HTTP/2, undici repeats a request by itself if the server refuses the request's stream.
      allowH2: false,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      // One deadline covers the whole request; undici's separate timeouts are disabled.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return made.on("disconnect", (_origin, _clients, error) => {
      if (!isAnswerDue && isUnaskedBytesError(error)) events.unaskedBytes();
      // While an exchange uses the connection, undici reports the loss to the exchange, or reconnects before it writes.
      if (state !== "settling" && state !== "idle") return;
      // undici uses this code if it closes the connection itself: after `Connection: close`, or after its idle timeout.
      if (error.code !== "UND_ERR_INFO") events.closedByServer(performance.now() - idleSince);
      void close();
    });
  };
  let client: ReturnType<Route> | undefined;

  async function close(): Promise<void> {
    if (state === "closed") return;
    state = "closed";
    events.closed();
    // This function may run inside a callback of undici, which does not expect that its client is destroyed.
    await Promise.resolve();
    await client?.destroy(new ConnectionClosedError());
  }

  return {
    idleSince: () => idleSince,
    carried: () => carried,
    lend({ choice, owner }) {
      state = "lent";
      isLent = true;
      carried ??= { isAny: choice === "any", owner };
      isSingleUse = choice === "new";
    },
    client: {
      // The client is created here so that the exchange fails before anything is sent if the route throws.
      dispatch(options, handler) {
        client ??= route(address, make);
        return client.dispatch(options, handler);
      },
    },
    begin() {
      isAnswerDue = true;
      expectAnswer();
      const wasNew = isNew;
      isNew = false;
      return wasNew;
    },
    giveBack(condition) {
      // After a proxy's 407, undici reports the end of the exchange twice.
      if (!isLent) return;
      isLent = false;
      events.returned();
      if (condition === "usable") isAnswerDue = false;
      if (condition === "broken" || isSingleUse) void close();
      if (state === "closed") return;
      state = "settling";
      idleSince = performance.now();
      // Together with undici's own delay before a write, this delay lets the event loop read the socket once. Bytes
      // after the answer then close the connection instead of being parsed as the next answer.
      setImmediate(() => {
        if (state !== "settling") return;
        state = "idle";
        events.usable();
      });
    },
    close,
  };
}

/** Reports whether undici closed a connection because bytes arrived while no answer was due. */
function isUnaskedBytesError({ code, message }: Error & { readonly code?: string }): boolean {
  return message === "bad response" || code?.startsWith("HPE_") === true;
}

/** Error of an exchange whose connection this side closes. */
class ConnectionClosedError extends Error {
  readonly code = "CONNECTION_CLOSED";
}
