import type { Worker } from "node:cluster";

/** What the processes of Node's cluster send each other. Node does not document it. */
interface ClusterMessage {
  /** `newconn` hands a connection to a process. */
  readonly act?: unknown;
  readonly seq?: unknown;
  /** The `seq` of the message that this one answers. */
  readonly ack?: unknown;
}

/**
 * When a process ends, hands the connections that it had not accepted to another process, or closes them if none serves.
 *
 * Node's cluster waits until a process accepts a connection. If the process is killed before that, the supervisor keeps the
 * connection open and nobody answers it (Node 24, `RoundRobinHandle`). A process has read nothing from a connection that it
 * has not accepted, so another process can serve it.
 */
export function handOverAtEnd(worker: Worker, isAnotherServing: () => boolean): void {
  const { process: child } = worker;
  // A process that could not be started has no channel.
  if (!child.connected) return;
  const unaccepted = new Set<unknown>();
  const send = child.send.bind(child);
  Object.assign(child, {
    send(message: unknown, ...rest: readonly unknown[]): boolean {
      const { act, seq }: ClusterMessage = Object(message);
      if (act === "newconn") unaccepted.add(seq);
      return Reflect.apply(send, undefined, [message, ...rest]);
    },
  });
  child.on("internalMessage", ({ ack }: ClusterMessage) => {
    unaccepted.delete(ack);
  });
  // After the exit, and after the last message of the process has been read.
  child.once("close", () => {
    // As if the process had refused the connection. Node closes one that was accepted, because the process has its own copy.
    for (const ack of unaccepted)
      child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted: !isAnotherServing() });
  });
}
