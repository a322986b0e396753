import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * The effect of the network on a COMMIT. `lost`: the COMMIT never reaches the server. `held`: the COMMIT reaches the
 * server after `releaseCommit`. `reply lost`: the reply and the connection are lost. `unanswered`: only the reply is
 * lost. The server never notices that the client has disconnected.
 */
export type CommitFate = "lost" | "held" | "reply lost" | "unanswered";

/** A network proxy between a gateway and its PostgreSQL server. */
export interface PostgresProxy {
  /** A connection string for the proxy. */
  readonly url: string;
  /** Sets the effect on the next COMMIT of a submission's transaction. Resolves when the COMMIT has arrived. */
  nextCommit(fate: CommitFate): Promise<void>;
  /** Sends the held COMMIT to the server. */
  releaseCommit(): void;
  /** Resets every connection, and all new connections, until `mend` is called. */
  cut(): void;
  /**
   * Corrupts the start of the next transaction, so that the server refuses this transaction and continues with the
   * following statements.
   */
  spoilBeginning(): void;
  /**
   * Makes the server forget further prepared statements. A connection pooler that changes connections has the same
   * effect.
   */
  losePrepared(): void;
  mend(): void;
  close(): Promise<void>;
}

/** The COMMIT as a simple query message: the type, the length and the text of the message. */
const COMMIT = Buffer.from("Q\0\0\0\x0bCOMMIT\0", "latin1");
/** A part of the statements in a submission's transaction. Transactions for usage do not contain this text. */
const SUBMISSION = "gateway_submissions";
const BEGINNING = "BEGIN ISOLATION";
/** Matches the names of prepared statements. */
const PREPARED = /gateway_submissions [0-9a-f]{32}/;

/** Starts a proxy in front of the server that a connection string names. */
export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let next: { readonly fate: CommitFate; come(): void } | null = null;
  let isCut = false;
  let isToSpoil = false;
  let isToLosePrepared = false;
  let release = (): void => {};
  const keep = (socket: Socket): void => {
    sockets.add(socket.setNoDelay());
    // The test breaks connections on purpose.
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  };

  const server = createServer((client) => {
    keep(client);
    if (isCut) return void client.resetAndDestroy();
    const upstream = connect(Number(target.port), target.hostname);
    keep(upstream);
    let deaf = false;
    let fate: CommitFate | undefined;
    let isOfSubmission = false;
    upstream.on("data", (bytes) => {
      if (!deaf) client.write(bytes);
      else if (!client.destroyed && fate === "reply lost") client.resetAndDestroy();
    });
    client.on("data", (bytes) => {
      if (isToSpoil && bytes.includes(BEGINNING)) {
        isToSpoil = false;
        bytes.write("BEGUN", bytes.indexOf(BEGINNING));
      }
      const [prepared] = (isToLosePrepared && PREPARED.exec(bytes.toString("latin1"))) || [];
      if (prepared !== undefined) {
        // The first occurrence is the name under which the server would store the prepared statement.
        bytes.write(prepared.replaceAll(/./g, "-"), bytes.indexOf(prepared));
      }
      const isCommit = bytes.equals(COMMIT);
      isOfSubmission ||= bytes.includes(SUBMISSION);
      if (!isCommit || !isOfSubmission || next === null) {
        if (isCommit) isOfSubmission = false;
        return void upstream.write(bytes);
      }
      ({ fate } = next);
      next.come();
      next = null;
      deaf = true;
      if (fate === "held") release = () => void upstream.write(COMMIT);
      if (fate === "reply lost" || fate === "unanswered") upstream.write(COMMIT);
      else client.resetAndDestroy();
    });
    // The server does not notice when a waiting client disconnects.
    client.once("close", () => void (deaf || upstream.destroy()));
    upstream.once("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const through = new URL(url);
  through.port = String(port);

  return {
    url: through.href,
    nextCommit: (fate) =>
      new Promise((resolve) => {
        next = { fate, come: resolve };
      }),
    releaseCommit: () => release(),
    spoilBeginning() {
      isToSpoil = true;
    },
    losePrepared() {
      isToLosePrepared = true;
    },
    cut() {
      isCut = true;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    mend() {
      isCut = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
