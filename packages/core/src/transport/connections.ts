import { type buildConnector, Client, type Dispatcher } from "undici";
import { skipInterimAnswers } from "./interim-answers.ts";
import type { ConnectionChoice } from "./transport.ts";

/** A connection to one origin, lent to one exchange at a time. */
export interface Connection {
  /** Sends a request. undici calls the handler's `onResponseEnd` or `onResponseError` once, unless this throws. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Notes that the request is written now. Returns whether the connection was opened for it. */
  begin(): boolean;
  /** Gives the connection back: for another exchange, or to be closed because this one failed. */
  giveBack(state: "usable" | "broken"): void;
  /** Closes the connection. An exchange that uses it fails. Resolves when it is closed. */
  close(): Promise<void>;
}

/** The connections of one transport. */
export interface Connections {
  /**
   * Lends a connection, at once or when there is one.
   * @returns withdraws the wish: while it waits for a connection, it will get none
   */
  lend(origin: string, choice: ConnectionChoice, start: (lent: Connection) => void): () => void;
  /** How many exchanges have a connection or wait for one. */
  unfinished(): number;
  /** Waits until every connection is given back and no wish is left, then closes the connections. */
  close(): Promise<void>;
}

/** The longest time since the end of its last answer in which a connection counts as fresh, in milliseconds. */
const FRESH_MS = 1_000;

/**
 * An idle connection is closed this long before the insurer's `Keep-Alive: timeout=`, in milliseconds. With two seconds
 * or less in that header it is closed at once, so a fresh connection is always younger than half of the header's time.
 */
const KEEP_ALIVE_MARGIN_MS = 2_000;

/** How long it counts that a server has closed an idle connection soon, in milliseconds: it may have been a restart. */
const CLOSED_EARLY_COUNTS_MS = 600_000;

/** A connection as its owner sees it. */
interface OwnConnection extends Connection {
  readonly isIdle: boolean;
  /** When its last answer ended, by `performance.now()`. */
  readonly idleSince: number;
  take(): void;
}

interface Wish {
  readonly choice: ConnectionChoice;
  readonly start: (lent: Connection) => void;
}

interface Origin {
  readonly address: string;
  readonly connections: Set<OwnConnection>;
  /** Oldest first. */
  readonly wishes: Set<Wish>;
  /** The shortest time for which the server left a connection idle before it closed it, and when that was. */
  closedAfter: { readonly idleMs: number; readonly at: number } | null;
}

/**
 * Makes the connections of one transport. Each is an undici client of its own: undici's pool does not tell which
 * connection a request uses, or when that connection was last used.
 * @param maximum - the most connections to one origin
 */
export function createConnections(
  connector: buildConnector.connector,
  maximum: number,
): Connections {
  const origins = new Map<string, Origin>();
  let unfinished = 0;
  let closing: PromiseWithResolvers<void> | undefined;

  function originOf(address: string): Origin {
    const known = origins.get(address);
    if (known !== undefined) return known;
    const made: Origin = {
      address,
      connections: new Set(),
      wishes: new Set(),
      closedAfter: null,
    };
    origins.set(address, made);
    return made;
  }

  function connectionFor(origin: Origin, choice: ConnectionChoice): OwnConnection | undefined {
    const { address, connections } = origin;
    let latest: OwnConnection | undefined;
    let oldest: OwnConnection | undefined;
    for (const connection of connections) {
      if (!connection.isIdle) continue;
      if (latest === undefined || connection.idleSince > latest.idleSince) latest = connection;
      if (oldest === undefined || connection.idleSince < oldest.idleSince) oldest = connection;
    }
    if (latest !== undefined && suits(latest, choice, freshLimitMs(origin))) return latest;
    // A connection that is too old for this request makes room for a new one.
    if (connections.size >= maximum) void oldest?.close();
    if (connections.size >= maximum) return undefined;
    const made = openConnection(address, connector, {
      usable: () => serve(origin),
      returned,
      closedByServer: (idleMs) => noteClosed(origin, idleMs),
      closed() {
        connections.delete(made);
        queueMicrotask(() => serve(origin));
      },
    });
    connections.add(made);
    return made;
  }

  function serve(origin: Origin): void {
    for (const wish of origin.wishes) {
      const connection = connectionFor(origin, wish.choice);
      if (connection === undefined) return;
      origin.wishes.delete(wish);
      connection.take();
      wish.start(connection);
    }
  }

  function returned(): void {
    unfinished -= 1;
    if (unfinished === 0) closing?.resolve();
  }

  return {
    lend(address, choice, start) {
      const origin = originOf(address);
      const wish = { choice, start };
      unfinished += 1;
      origin.wishes.add(wish);
      serve(origin);
      return () => {
        if (origin.wishes.delete(wish)) returned();
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

function suits({ idleSince }: OwnConnection, choice: ConnectionChoice, freshMs: number): boolean {
  return choice === "any" || (choice === "fresh" && performance.now() - idleSince < freshMs);
}

/** A server that does not say how long it leaves connections idle may show it. */
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

/** What the owner of a connection is called for. */
interface ConnectionEvents {
  /** The connection can be lent again. */
  readonly usable: () => void;
  /** The exchange that had the connection has ended. */
  readonly returned: () => void;
  /** The server has closed it, or sent something on it, this long after its last answer. */
  readonly closedByServer: (idleMs: number) => void;
  readonly closed: () => void;
}

/** Makes a connection, which is opened when its first request is sent. */
function openConnection(
  address: string,
  connector: buildConnector.connector,
  events: ConnectionEvents,
): OwnConnection {
  let state: "lent" | "settling" | "idle" | "closed" = "idle";
  let idleSince = 0;
  let isNew = false;
  let expectAnswer = (): void => undefined;

  const client = new Client(address, {
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
    // One deadline covers a request from beginning to end; undici's own would only cut it in pieces.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  client.on("disconnect", (_origin, _clients, error) => {
    // While it is lent, undici reports the loss to the exchange, or connects again before it writes.
    if (state !== "settling" && state !== "idle") return;
    // What undici itself closes has this code: after `Connection: close`, or idle for too long.
    if (error.code !== "UND_ERR_INFO") events.closedByServer(performance.now() - idleSince);
    void close();
  });

  async function close(): Promise<void> {
    if (state === "closed") return;
    state = "closed";
    events.closed();
    // This may run inside one of undici's own callbacks, which does not expect to find its client destroyed.
    await Promise.resolve();
    await client.destroy(new ConnectionClosed());
  }

  return {
    get isIdle() {
      return state === "idle";
    },
    get idleSince() {
      return idleSince;
    },
    take() {
      state = "lent";
    },
    dispatch: (options, handler) => void client.dispatch(options, handler),
    begin() {
      expectAnswer();
      const wasNew = isNew;
      isNew = false;
      return wasNew;
    },
    giveBack(condition) {
      events.returned();
      if (condition === "broken") void close();
      if (state === "closed") return;
      state = "settling";
      idleSince = performance.now();
      // With undici's own wait of the same kind before it writes, the loop reads the socket once in between: bytes
      // that have come after the answer close the connection instead of being taken for the next one.
      setImmediate(() => {
        if (state !== "settling") return;
        state = "idle";
        events.usable();
      });
    },
    close,
  };
}

/** What an exchange fails with whose connection is closed on this side. */
class ConnectionClosed extends Error {
  readonly code = "CONNECTION_CLOSED";
}
