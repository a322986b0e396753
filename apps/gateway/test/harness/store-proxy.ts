import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * The network's effect on a COMMIT: it never reaches the server, or only when it is released; it does, and its reply is
 * lost with the connection, or only the reply is. The server never learns that its client has gone.
 */
export type CommitFate = "lost" | "held" | "reply lost" | "unanswered";

/** A network between a gateway and its PostgreSQL server. */
export interface PostgresProxy {
  /** A connection string through it. */
  readonly url: string;
  /** Sets the fate of the next COMMIT of a submission's transaction; resolves when it has arrived. */
  nextCommit(fate: CommitFate): Promise<void>;
  /** Lets the COMMIT that was held go on to the server. */
  releaseCommit(): void;
  /** Resets every connection, and any other that is made, until it is repaired. */
  cut(): void;
  /** Spoils the next beginning of a transaction, so that the server refuses it and carries on with what comes after it. */
  spoilBeginning(): void;
  /** Has the server not know the statements that it should keep prepared from now on, as behind a pooler that changes connections. */
  losePrepared(): void;
  mend(): void;
  close(): Promise<void>;
}

/** A simple query: its type, its length, its text. */
const COMMIT = Buffer.from("Q\0\0\0\x0bCOMMIT\0", "latin1");
/** A part of the statements in a submission's transaction; other transactions write usage. */
const SUBMISSION = "gateway_submissions";
const BEGINNING = "BEGIN ISOLATION";
/** The names of statements that the server keeps prepared. */
const PREPARED = /gateway_submissions [0-9a-f]{32}/;

/** Starts one before the server of a connection string. */
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
    // Connections are broken on purpose here.
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
        // The first place is that of the name under which the server would keep it.
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
    // Who waits in vain may go; the server does not hear of that either.
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
