import { Client, type Dispatcher } from "undici";
import { skipInterimAnswers } from "./interim-answers.ts";
import type { ClientMaker, Route } from "./route.ts";
import type { ConnectionChoice } from "./transport.ts";

/** A connection to one origin, which one exchange at a time uses. */
export interface Connection {
  /** Sends requests. undici calls a handler's `onResponseEnd` or `onResponseError` once, unless `dispatch` throws. */
  readonly client: Pick<Dispatcher, "dispatch">;
  /** Records that the request is being written. Returns whether the connection was opened for it. */
  begin(): boolean;
  /** Returns the connection for another exchange, or closes it if this exchange failed. */
  giveBack(state: "usable" | "broken"): void;
  /** Closes the connection. An exchange that uses it fails. Resolves when it is closed. */
  close(): Promise<void>;
}

/** Which connection an exchange needs. */
export interface WantedConnection {
  readonly choice: ConnectionChoice;
  /** Whose request it is; undefined for a request that belongs to nobody. */
  readonly owner?: string | undefined;
}

/** The connections of one transport. */
export interface Connections {
  /** Lends a connection that is free; returns null if none is, or other requests wait for one. */
  take(origin: string, wanted: WantedConnection): Connection | null;
  /**
   * Lends a connection when one is free.
   * @returns a function that cancels the request while it waits
   */
  wait(origin: string, wanted: WantedConnection, start: (lent: Connection) => void): () => void;
  /** The number of exchanges that use or wait for a connection. */
  unfinished(): number;
  /** Waits until no exchange uses or waits for a connection, then closes all connections. */
  close(): Promise<void>;
}

/** How long a connection counts as fresh after its last answer, in milliseconds. */
const FRESH_MS = 1_000;

/**
 * An idle connection is closed this long before the insurer's `Keep-Alive: timeout=`, in milliseconds. With two seconds
 * or less in that header it is closed at once, so a fresh connection is always younger than half of the header's time.
 */
const KEEP_ALIVE_MARGIN_MS = 2_000;

/**
 * How long the client remembers that a server closed an idle connection early, in milliseconds. It may have been a
 * restart.
 */
const CLOSED_EARLY_COUNTS_MS = 600_000;

/** A connection in the pool. */
interface OwnConnection extends Connection {
  /** When its last answer ended, by `performance.now()`. */
  idleSince(): number;
  /** Which requests it carried; null before its first. */
  carried(): Carried | null;
  /** Notes which request uses it from now on. */
  lend(wanted: WantedConnection): void;
}

/**
 * The requests that one connection carries: those of one owner, with the choice `any` or with another one. A late answer
 * could be taken for that of the next request, so requests of two owners never share a connection.
 */
interface Carried extends Pick<WantedConnection, "owner"> {
  readonly isAny: boolean;
}

interface PendingRequest extends WantedConnection {
  readonly start: (lent: Connection) => void;
}

interface Origin {
  readonly address: string;
  readonly connections: Set<OwnConnection>;
  /** The connections that no exchange uses, in the order in which their last answers ended. */
  readonly idle: OwnConnection[];
  /** Oldest first. */
  readonly pending: Set<PendingRequest>;
  /** The shortest idle time after which the server closed a connection, and when that happened. */
  closedAfter: { readonly idleMs: number; readonly at: number } | null;
}

/** The settings of the connections of one transport. */
export interface ConnectionsParts {
  readonly route: Route;
  /** The maximum number of connections to one origin. */
  readonly maximum: number;
  /** Called when a server sent bytes that no request asked for. */
  readonly unaskedBytes: () => void;
}

/**
 * Creates the connections of one transport. Each one is a separate undici client, because undici's pool does not report
 * which connection a request uses, or when it was last used.
 */
export function createConnections({ maximum, route, unaskedBytes }: ConnectionsParts): Connections {
  const origins = new Map<string, Origin>();
  let unfinished = 0;
  let closing: PromiseWithResolvers<void> | undefined;

  function originOf(address: string): Origin {
    const known = origins.get(address);
    if (known !== undefined) return known;
    const made: Origin = {
      address,
      connections: new Set(),
      idle: [],
      pending: new Set(),
      closedAfter: null,
    };
    origins.set(address, made);
    return made;
  }

  function connectionFor(origin: Origin, wanted: WantedConnection): OwnConnection | undefined {
    const { address, connections, idle } = origin;
    const index = idle.findLastIndex((one) => suits(one, wanted, origin));
    const suitable = idle[index];
    if (suitable !== undefined) {
      idle.splice(index, 1);
      suitable.lend(wanted);
      return suitable;
    }
    // Close a connection that does not suit this request, to open a new one: if there is one, one that suits no request.
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
      closedByServer: (idleMs) => noteClosed(origin, idleMs),
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

  function serve(origin: Origin): void {
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

function suits(
  connection: OwnConnection,
  { choice, owner }: WantedConnection,
  origin: Origin,
): boolean {
  const carried = connection.carried();
  if (choice === "new" || carried === null || carried.owner !== owner) return false;
  return carried.isAny ? choice === "any" : choice === "fresh" && !isStale(connection, origin);
}

/** Whether a connection that only a `fresh` request could use is too old for one. */
function isStale(connection: OwnConnection, origin: Origin): boolean {
  const idleMs = performance.now() - connection.idleSince();
  return connection.carried()?.isAny !== true && idleMs >= freshLimitMs(origin);
}

/** If a server does not report its idle timeout, learn it from the connections that it closes. */
function freshLimitMs({ closedAfter }: Origin): number {
  return closedAfter !== null && counts(closedAfter)
    ? Math.min(FRESH_MS, closedAfter.idleMs / 2)
    : FRESH_MS;
}

function counts({ at }: NonNullable<Origin["closedAfter"]>): boolean {
  return performance.now() - at < CLOSED_EARLY_COUNTS_MS;
}

function noteClosed(origin: Origin, idleMs: number): void {
  const known = origin.closedAfter;
  if (known === null || !counts(known) || idleMs < known.idleMs)
    origin.closedAfter = { idleMs, at: performance.now() };
}

/** The callbacks of a connection to its pool. */
interface ConnectionEvents {
  /** The connection is free again. */
  readonly usable: () => void;
  /** The exchange on the connection has ended. */
  readonly returned: () => void;
  readonly unaskedBytes: () => void;
  /** The server closed the connection, or sent something on it, this many milliseconds after its last answer. */
  readonly closedByServer: (idleMs: number) => void;
  readonly closed: () => void;
}

/** Creates a connection. It is opened for its first request. */
function openConnection(address: string, route: Route, events: ConnectionEvents): OwnConnection {
  let state: "lent" | "settling" | "idle" | "closed" = "idle";
  let isLent = false;
  let idleSince = 0;
  let isNew = false;
  let carried: Carried | null = null;
  let carriesOne = false;
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
      // Over HTTP/2 undici sends a request again by itself when the server refuses its stream.
      allowH2: false,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      // One deadline covers the whole request; undici's separate timeouts are disabled.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return made.on("disconnect", (_origin, _clients, error) => {
      if (!isAnswerDue && isOfUnaskedBytes(error)) events.unaskedBytes();
      // While an exchange uses it, undici reports the loss to the exchange, or reconnects before it writes.
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
    // This may run inside one of undici's own callbacks, which does not expect to find its client destroyed.
    await Promise.resolve();
    await client?.destroy(new ConnectionClosed());
  }

  return {
    idleSince: () => idleSince,
    carried: () => carried,
    lend({ choice, owner }) {
      state = "lent";
      isLent = true;
      carried ??= { isAny: choice === "any", owner };
      carriesOne = choice === "new";
    },
    client: {
      // Created here, so that an exchange fails, without having sent anything, if the route throws.
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
      // After a proxy's 407 undici reports the end of the exchange twice.
      if (!isLent) return;
      isLent = false;
      events.returned();
      if (condition === "usable") isAnswerDue = false;
      if (condition === "broken" || carriesOne) void close();
      if (state === "closed") return;
      state = "settling";
      idleSince = performance.now();
      // Together with undici's own delay before it writes, this lets the event loop read the socket once. Bytes after
      // the answer then close the connection, instead of being parsed as the next answer.
      setImmediate(() => {
        if (state !== "settling") return;
        state = "idle";
        events.usable();
      });
    },
    close,
  };
}

/** Whether undici closed a connection because of bytes that arrived while no answer was due. */
function isOfUnaskedBytes({ code, message }: Error & { readonly code?: string }): boolean {
  return message === "bad response" || code?.startsWith("HPE_") === true;
}

/** The error of an exchange whose connection this side closes. */
class ConnectionClosed extends Error {
  readonly code = "CONNECTION_CLOSED";
}
