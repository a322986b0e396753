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

/** Connection in the pool. */
export interface PooledConnection extends Connection {
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

/**
 * Time before the end of the insurer's `Keep-Alive: timeout=` at which an idle connection is closed, in milliseconds.
 * If the header has two seconds or less, the connection is closed at once, so a fresh connection is always younger than
 * half of the header's time.
 */
const KEEP_ALIVE_MARGIN_MS = 2_000;

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
export function openConnection(
  address: string,
  route: Route,
  events: ConnectionEvents,
): PooledConnection {
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
      // While an exchange uses the connection, undici reports the end of the connection to the exchange, or reconnects
      // before it writes.
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

/** Error of an exchange whose connection the transport itself closes. */
class ConnectionClosedError extends Error {
  readonly code = "CONNECTION_CLOSED";
}
