import type { Worker } from "node:cluster";

/** What Node's cluster sends to a process with each new connection. Node does not document it. */
interface Handover {
  readonly act?: unknown;
  readonly seq?: unknown;
}

interface Closable {
  close(): void;
}

/**
 * Closes the connections that were given to a process and that it had not accepted when it ended.
 *
 * Node's cluster closes its own copy of a connection only when the process confirms it. A process that is killed before that
 * confirms nothing: its caller would wait for as long as the supervisor runs (seen in Node 24, `RoundRobinHandle`).
 */
export function closeHandedConnections(worker: Worker): void {
  const { process: forked } = worker;
  const unconfirmed = new Map<unknown, Closable>();
  const send = forked.send.bind(forked);
  const sendAndRemember = (message: unknown, handle?: unknown, ...rest: unknown[]): boolean => {
    const { act, seq }: Handover = Object(message);
    if (act === "newconn" && isClosable(handle)) unconfirmed.set(seq, handle);
    return Reflect.apply(send, undefined, [message, handle, ...rest]);
  };
  Object.assign(forked, { send: sendAndRemember });
  forked.on("internalMessage", (message: { readonly ack?: unknown }) => {
    unconfirmed.delete(message.ack);
  });
  // What it confirmed has been read by now: Linux closes the channel of a process before it reports the exit.
  forked.once("exit", () => {
    for (const handle of unconfirmed.values()) handle.close();
    unconfirmed.clear();
  });
}

function isClosable(handle: unknown): handle is Closable {
  return typeof Object(handle).close === "function";
}
