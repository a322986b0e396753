import {
  type Connection,
  type ConnectionRequirements,
  openConnection,
  type PooledConnection,
} from "./pooled-connection.ts";
import type { Route } from "./route.ts";

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

/** Time for which a connection counts as fresh after its last answer, in milliseconds. */
const MAX_FRESH_AGE_MS = 1_000;

/**
 * Time for which the client remembers that a server closed an idle connection early, in milliseconds. The cause may
 * have been a restart.
 */
const EARLY_CLOSING_MEMORY_MS = 600_000;

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
